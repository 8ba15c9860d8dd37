package petrichor.jobs.engine.operators;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.engine.memory.RecordStream;
import petrichor.jobs.records.Group;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.KeyOrder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * The groups of a stream in which equal keys are adjacent; it is itself the current group. Belongs
 * to one thread.
 */
final class GroupStream implements Group {
    private final RecordStream records;
    private final KeyOrder order;
    private final RecordView key;
    private byte[] keyBytes = new byte[256];

    /** The head of the stream: the next record of this group, or the first of the next group. */
    private @Nullable RecordView head;

    private boolean started;

    /** The head belongs to the current group and was not returned yet. */
    private boolean headIsOurs;

    /** The head was returned. */
    private boolean headIsTaken;

    GroupStream(RecordStream records, Key key, RecordType type) {
        this.records = records;
        this.order = KeyOrder.of(key, type);
        this.key = new RecordView(type);
    }

    /** Moves to the next group, skipping the rest of this one; false at the end. */
    boolean advance() {
        if (!started) {
            started = true;
            head = records.next();
        } else {
            while (next() != null) {
                // User code may return before it has read the whole group.
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
