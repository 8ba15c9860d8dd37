package petrichor.jobs.engine.operators;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.engine.memory.RecordStream;
import petrichor.jobs.records.Group;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.KeyOrder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * The groups of a stream whose equal keys are adjacent; itself the group at hand. Belongs to one
 * thread.
 */
final class GroupStream implements Group {
    private final RecordStream records;
    private final KeyOrder order;
    private final RecordView key;
    private byte[] keyBytes = new byte[256];

    /**
     * The record at the head of the stream: the next of this group, or the first of the one behind.
     */
    private @Nullable RecordView head;

    private boolean begun;

    /** The head belongs to the group at hand and was not handed out. */
    private boolean headIsOurs;

    /** The head was handed out. */
    private boolean headIsTaken;

    GroupStream(RecordStream records, Key key, RecordType type) {
        this.records = records;
        this.order = KeyOrder.of(key, type);
        this.key = new RecordView(type);
    }

    /** Goes to the next group, skipping what is left of this one; false at the end. */
    boolean advance() {
        if (!begun) {
            begun = true;
            head = records.next();
        } else {
            while (next() != null) {
                // The group's code may end before its records do.
            }
        }
        RecordView first = head;
        if (first == null) {
            headIsOurs = false;
            return false;
        }
        int bytes = first.bytes();
        if (keyBytes.length < bytes) {
            keyBytes = new byte[bytes * 2];
        }
        first.copyTo(keyBytes, 0);
        key.at(keyBytes, 0);
        headIsOurs = true;
        headIsTaken = false;
        return true;
    }

    @Override
    public RecordView key() {
        return key;
    }

    @Override
    public @Nullable RecordView next() {
        if (headIsTaken) {
            RecordView record = records.next();
            head = record;
            headIsTaken = false;
            headIsOurs = record != null && order.equal(record, key);
        }
        if (!headIsOurs) {
            return null;
        }
        headIsTaken = true;
        return head;
    }
}
