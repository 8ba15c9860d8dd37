package petrichor.transactions;

import java.nio.ByteBuffer;
import petrichor.transactions.CommitPoint.LastCommit;

/**
 * How far the log was applied when somebody last noted it: everything before {@code next} is in the
 * rows. Notes are lost and come late; one that is too old costs time and nothing else, as long as
 * the slots after it are still there.
 *
 * @param last the newest batch before {@code next}
 */
record LogHint(LogPosition next, LastCommit last) {
    static final LogHint NONE = new LogHint(LogPosition.START, LastCommit.NONE);

    /** Orders like the position: where a store breaks ties by value, the later one stays. */
    byte[] encoded() {
        return ByteBuffer.allocate(4 * Long.BYTES)
                .putLong(next.epoch())
                .putLong(next.slot())
                .putLong(last.epoch())
                .putLong(last.version())
                .array();
    }

    static LogHint decode(byte[] value) {
        ByteBuffer bytes = ByteBuffer.wrap(value);
        return new LogHint(
                new LogPosition(bytes.getLong(), bytes.getLong()),
                new LastCommit(bytes.getLong(), bytes.getLong()));
    }
}
