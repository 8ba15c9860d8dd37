package petrichor.transactions;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Names a transaction to its client, opaque to it: the epoch of the sequencer that began it and a
 * number within. 24 bytes: epoch, number, salt; the salt keeps ids of other databases and of former
 * lives from being taken for ours.
 */
public record TransactionId(long epoch, long number, long salt) {
    private static final int BYTES = 24;

    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES).putLong(epoch).putLong(number).putLong(salt).array();
    }

    /** Empty if these bytes can't be an id of ours. */
    public static Optional<TransactionId> parse(byte[] bytes) {
        if (bytes.length != BYTES) {
            return Optional.empty();
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return Optional.of(new TransactionId(buffer.getLong(), buffer.getLong(), buffer.getLong()));
    }
}
