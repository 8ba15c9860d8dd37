package petrichor.jobs.engine.memory;

import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * A few records that wait for a hash table, so that the table can fetch from memory what all of
 * them need before it looks at the first. Belongs to one thread.
 */
final class RecordBatch {
    /** Enough loads at a time for any processor, and little enough to stay in the first cache. */
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

    /** Copies a record; false when there is no room. */
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
