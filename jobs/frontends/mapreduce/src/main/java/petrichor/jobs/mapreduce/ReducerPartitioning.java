package petrichor.jobs.mapreduce;

import java.util.HashMap;
import java.util.Map;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.KeyHash;
import petrichor.jobs.records.RecordBuilder;

/**
 * A number for each reduce. The engine partitions records by the hash of a field; these numbers are
 * chosen so that their hashes send each reduce of a job to a subtask of its own, if there are
 * enough subtasks. With fewer, some run several reduces, one after the other. Immutable.
 */
final class ReducerPartitioning {
    private final int[] numbers;
    private final Map<Integer, Integer> reduces = new HashMap<>();

    ReducerPartitioning(int count) {
        numbers = new int[count];
        KeyHash hash = KeyHash.of(Key.of(MapOutput.SEAT), MapOutput.TYPE);
        RecordBuilder record = new RecordBuilder(MapOutput.TYPE);
        int taken = 0;
        boolean[] has = new boolean[count];
        for (int number = 0; taken < count; number++) {
            long found = hash.hash(record.start().int32(MapOutput.SEAT, number).finish());
            int subtask = KeyHash.partition(found, count);
            if (!has[subtask]) {
                has[subtask] = true;
                numbers[subtask] = number;
                reduces.put(number, subtask);
                taken++;
            }
        }
    }

    int of(int reduce) {
        return numbers[reduce];
    }

    int reduce(int seat) {
        Integer found = reduces.get(seat);
        if (found == null) {
            throw new IllegalStateException("no partition " + seat + " is assigned");
        }
        return found;
    }
}
