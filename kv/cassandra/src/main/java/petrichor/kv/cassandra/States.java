package petrichor.kv.cassandra;

import petrichor.kv.ranges.PartitionState;

/** Stable numbers for partition states. */
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
