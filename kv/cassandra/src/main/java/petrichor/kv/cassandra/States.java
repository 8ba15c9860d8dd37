package petrichor.kv.cassandra;

import petrichor.kv.ranges.PartitionState;

/** Partitions' states as numbers that stay what they are. */
final class States {
    private States() {}

    static int number(PartitionState state) {
        return switch (state) {
            case NEW -> 1;
            case OPEN -> 2;
            case SEALED -> 3;
            case GONE -> 4;
        };
    }

    static PartitionState of(int number) {
        for (PartitionState state : PartitionState.values()) {
            if (number(state) == number) {
                return state;
            }
        }
        throw new IllegalStateException("unknown partition state " + number);
    }
}
