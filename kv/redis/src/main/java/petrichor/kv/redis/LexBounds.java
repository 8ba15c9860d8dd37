package petrichor.kv.redis;

import petrichor.base.Bytes;
import petrichor.kv.KeyRange;

/** Ends of a range as ZRANGE … BYLEX writes them: a bracket, then the key's bytes as they are. */
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

    /** The end of a range that goes up to this key, or starts after it. */
    static byte[] without(byte[] key) {
        return bound(EXCLUDED, key);
    }

    private static byte[] bound(byte bracket, byte[] key) {
        return Bytes.concat(new byte[] {bracket}, key);
    }
}
