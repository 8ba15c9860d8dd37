package petrichor.analytics.worker;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A row's key as two integers, which segments store: its bytes and their number if they fit,
 * otherwise the beginning of its SHA-256. Confined to one thread.
 */
final class RowNumber {
    /** Of 16 bytes, the last one has the length. */
    private static final int EXACT_BYTES_MAX = 15;

    private final MessageDigest digest;
    private final byte[] bytes = new byte[2 * Long.BYTES];

    RowNumber() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Reads a key. */
    RowNumber of(byte[] source, int from, int length) {
        if (length <= EXACT_BYTES_MAX) {
            java.util.Arrays.fill(bytes, (byte) 0);
            System.arraycopy(source, from, bytes, 0, length);
            bytes[EXACT_BYTES_MAX] = (byte) length;
        } else {
            digest.update(source, from, length);
            System.arraycopy(digest.digest(), 0, bytes, 0, EXACT_BYTES_MAX);
            bytes[EXACT_BYTES_MAX] = EXACT_BYTES_MAX + 1;
        }
        return this;
    }

    long high() {
        return part(0);
    }

    long low() {
        return part(Long.BYTES);
    }

    private long part(int from) {
        long part = 0;
        for (int i = from; i < from + Long.BYTES; i++) {
            part = (part << Byte.SIZE) | (bytes[i] & 0xFF);
        }
        return part;
    }
}
