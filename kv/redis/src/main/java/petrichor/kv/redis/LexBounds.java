package petrichor.kv.redis;

import petrichor.base.Bytes;
import petrichor.kv.KeyRange;

/** Range bounds in the syntax of ZRANGE … BYLEX: a bracket, then the raw bytes of the key. */
final class LexBounds {
    private static final byte INCLUDED = '[';
    private static final byte EXCLUDED = '(';
    private static final byte[] BEFORE_ALL = {'-'};
    private static final byte[] AFTER_ALL = {'+'};

    private LexBounds() {}

    static byte[] from(KeyRange range) {
        return range.from().length == 0 ? BEFORE_ALL.clone() : bound(INCLUDED, range.from());
    }

    static byte[] to(KeyRange range) {
        byte[] to = range.to();
        return to == null ? AFTER_ALL.clone() : bound(EXCLUDED, to);
    }

    /** An exclusive bound: the end of a range up to this key, or the start of a range after it. */
    static byte[] without(byte[] key) {
        return bound(EXCLUDED, key);
    }

    private static byte[] bound(byte bracket, byte[] key) {
        return Bytes.concat(new byte[] {bracket}, key);
    }
}
