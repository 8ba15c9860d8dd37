package petrichor.transactions;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Identifies a transaction; opaque to clients: 40 bytes on the wire.
 *
 * @param epoch of the sequencer that started it
 * @param number within the epoch
 * @param salt distinguishes ids of other databases and of former owners
 * @param secret random, so that no client can guess the transaction id of another client
 */
public record TransactionId(long epoch, long number, long salt, Secret secret) {
    private static final int BYTES = 40;

    /** 128 bits. */
    public record Secret(long high, long low) {
        /**
         * @param chance unpredictable unless all clients are trusted
         */
        public static Secret next(RandomGenerator chance) {
            return new Secret(chance.nextLong(), chance.nextLong());
        }
    }

    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(epoch)
                .putLong(number)
                .putLong(salt)
                .putLong(secret.high())
                .putLong(secret.low())
                .array();
    }

    /** Empty if these bytes cannot be a transaction id. */
    public static Optional<TransactionId> parse(byte[] bytes) {
        if (bytes.length != BYTES) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        return Optional.of(
                new TransactionId(
                        in.getLong(),
                        in.getLong(),
                        in.getLong(),
                        new Secret(in.getLong(), in.getLong())));
    }
}
