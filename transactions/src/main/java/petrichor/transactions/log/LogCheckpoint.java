package petrichor.transactions.log;

import java.nio.ByteBuffer;
import petrichor.transactions.log.CommitPoint.LastCommit;
import petrichor.transactions.rows.LogPosition;

/**
 * A checkpoint of the log: all records before {@code next} are applied. Checkpoints can be lost or
 * late; an old one only costs time, provided that the slots after it still exist.
 *
 * @param last the newest batch before {@code next}
 */
record LogCheckpoint(LogPosition next, LastCommit last) {
    static final LogCheckpoint NONE = new LogCheckpoint(LogPosition.START, LastCommit.NONE);

    /** Sorts like the position: where a store breaks ties by value, the later checkpoint wins. */
    byte[] encoded() {
        return ByteBuffer.allocate(4 * Long.BYTES)
                .putLong(next.epoch())
                .putLong(next.slot())
                .putLong(last.epoch())
                .putLong(last.version())
                .array();
    }

    static LogCheckpoint decode(byte[] value) {
        ByteBuffer bytes = ByteBuffer.wrap(value);
        return new LogCheckpoint(
                new LogPosition(bytes.getLong(), bytes.getLong()),
                new LastCommit(bytes.getLong(), bytes.getLong()));
    }
}
