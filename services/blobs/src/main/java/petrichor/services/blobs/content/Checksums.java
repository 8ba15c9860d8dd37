package petrichor.services.blobs.content;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * CRC32C and MD5 of bytes as they arrive. The CRC32C can start from a checksum of earlier bytes,
 * the MD5 cannot. MD5 takes longer than everything else that happens to an uploaded byte, and is
 * therefore computed in the background, of one array at a time. Confined to one thread.
 */
public final class Checksums {
    private static final int BITS = 32;

    /** Fewer bytes cost less than a change of threads. */
    private static final int BACKGROUND_BYTES_MIN = 16 << 10;

    /** Castagnoli's polynomial, reflected. */
    private static final int POLYNOMIAL = 0x82F63B78;

    private final CRC32C crc = new CRC32C();
    private final @Nullable MessageDigest md5;
    private final int earlier;
    private long bytes;

    /** Ends when the MD5 covers all bytes. */
    private CompletableFuture<?> digesting = CompletableFuture.completedFuture(null);

    /**
     * The checksums of the bytes up to one of them.
     *
     * @param bytes since {@code earlier}
     * @param md5 its state, to continue from; null if it is not known
     */
    public record Mark(
            int earlier, int crc, long bytes, @Nullable CompletableFuture<MessageDigest> md5) {
        public int crc32c() {
            return combine(earlier, crc, bytes);
        }

        /** Waits for the computation. The same object each time. */
        public @Nullable MessageDigest md5State() {
            return md5 == null ? null : md5.join();
        }
    }

    /**
     * @param earlier CRC32C of the bytes before; 0 if there are none
     * @param md5 state after the bytes before; null if it is not known
     */
    public Checksums(int earlier, @Nullable MessageDigest md5) {
        this.earlier = earlier;
        this.md5 = md5;
    }

    public Checksums() {
        this(0, newMd5());
    }

    public static MessageDigest newMd5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** The bytes must not change before the next call of any method. */
    public void update(byte[] more, int offset, int length) {
        crc.update(more, offset, length);
        bytes += length;
        MessageDigest state = md5;
        if (state == null) {
            return;
        }
        digesting.join();
        if (length < BACKGROUND_BYTES_MIN) {
            state.update(more, offset, length);
        } else {
            digesting =
                    CompletableFuture.runAsync(
                            () -> state.update(more, offset, length),
                            task -> Thread.startVirtualThread(task));
        }
    }

    public int crc32c() {
        return combine(earlier, (int) crc.getValue(), bytes);
    }

    /** In base64; empty if the state of the bytes before is not known. More can be added. */
    public String md5() {
        MessageDigest state = mark().md5State();
        return state == null ? "" : Base64.getEncoder().encodeToString(state.digest());
    }

    /** The checksums of what has been added. More can be added. */
    public Mark mark() {
        CompletableFuture<MessageDigest> state = null;
        MessageDigest running = md5;
        if (running != null) {
            state = digesting.thenApply(_ -> copy(running));
            digesting = state; // nothing is added before the copy exists
        }
        return new Mark(earlier, (int) crc.getValue(), bytes, state);
    }

    public static MessageDigest copy(MessageDigest state) {
        try {
            return (MessageDigest) state.clone();
        } catch (CloneNotSupportedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** As Google's APIs write it: big-endian, in base64. */
    public static String text(int crc32c) {
        return Base64.getEncoder()
                .encodeToString(ByteBuffer.allocate(Integer.BYTES).putInt(crc32c).array());
    }

    /** The inverse of {@link #text}; IllegalArgumentException if it is not such a text. */
    public static int crc32c(String text) {
        byte[] bytes = Base64.getDecoder().decode(text);
        if (bytes.length != Integer.BYTES) {
            throw new IllegalArgumentException("a CRC32C has four bytes, not " + bytes.length);
        }
        return ByteBuffer.wrap(bytes).getInt();
    }

    /**
     * The CRC32C of two byte sequences one after the other. Multiplies the first checksum by x^(8 *
     * bytes) modulo the polynomial, as zlib's crc32_combine does.
     *
     * @param bytes length of the second one
     */
    public static int combine(int first, int second, long bytes) {
        int product = first;
        int power = 1 << (BITS - 1 - 8); // x^8: a byte; x^0 is the highest bit
        for (long left = bytes; left > 0; left >>>= 1) {
            if ((left & 1) == 1) {
                product = multiply(power, product);
            }
            power = multiply(power, power);
        }
        return product ^ second;
    }

    /** The product of two polynomials modulo the CRC's. */
    private static int multiply(int a, int b) {
        int product = 0;
        int shifted = b;
        for (int bit = BITS - 1; bit >= 0; bit--) {
            if ((a >>> bit & 1) == 1) {
                product ^= shifted;
            }
            shifted = (shifted & 1) == 1 ? shifted >>> 1 ^ POLYNOMIAL : shifted >>> 1;
        }
        return product;
    }
}
