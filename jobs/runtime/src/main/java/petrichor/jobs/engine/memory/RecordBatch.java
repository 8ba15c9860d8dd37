package petrichor.jobs.engine.memory;

import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * A small batch of records on their way into a hash table, which prefetches memory for all of them
 * before it processes the first. Belongs to one thread.
 */
final class RecordBatch {
    /**
     * Enough outstanding loads for any processor, and few enough to stay in the first-level cache.
     */
    static final int RECORDS = 64;

    private static final int BYTES = 16 << 10;

    private final byte[] bytes = new byte[BYTES];
    private final int[] places = new int[RECORDS];
    private final RecordView view;
    private int count;
    private int end;

    RecordBatch(RecordType type) {
        view = new RecordView(type);
    }

    /** Copies a record; false when the batch is full. */
    boolean offer(RecordView record) {
        int length = record.bytes();
        if (count == RECORDS || length > BYTES - end) {
            return false;
        }
        record.copyTo(bytes, end);
        places[count++] = end;
        end += length;
        return true;
    }

    int size() {
        return count;
    }

    RecordView at(int index) {
        return view.at(bytes, places[index]);
    }

    void clear() {
        count = 0;
        end = 0;
    }
}
