package petrichor.kv.jdbc;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import petrichor.base.Bytes;

/**
 * A key in a form that an SQL index can hold. Indexes accept no more than about 2,700 bytes
 * (PostgreSQL) or 3,072 (InnoDB), while keys have up to a megabyte: so the first bytes are the
 * <em>head</em>, which is indexed unchanged, and the rest is the <em>tail</em>, of which a hash is
 * indexed, to distinguish rows. Rows with the same head are thus found together, but not in their
 * order: {@link SqlScan} sorts them. Nearly all keys consist of the head only, and have no
 * overhead.
 */
record SplitKey(byte[] head, byte[] tailHash, byte[] tail) {
    /**
     * An index entry of PostgreSQL has at most 2,704 bytes, including the hash and some overhead.
     */
    static final int HEAD_BYTES_MAX = 2_560;

    static final int HASH_BYTES = 32;

    private static final byte[] NONE = new byte[0];

    static SplitKey of(byte[] key) {
        if (key.length <= HEAD_BYTES_MAX) {
            return new SplitKey(key, NONE, NONE);
        }
        byte[] tail = Arrays.copyOfRange(key, HEAD_BYTES_MAX, key.length);
        return new SplitKey(Arrays.copyOf(key, HEAD_BYTES_MAX), sha256(tail), tail);
    }

    static byte[] joined(byte[] head, byte[] tail) {
        return tail.length == 0 ? head : Bytes.concat(head, tail);
    }

    boolean hasTail() {
        return tail.length > 0;
    }

    /** Whether rows with this head may have tails. */
    static boolean isFull(byte[] head) {
        return head.length == HEAD_BYTES_MAX;
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
