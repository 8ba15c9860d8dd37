package petrichor.transactions.rows;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.transactions.Row;

/**
 * How a branch stores its rows. A row that does not exist in the branch is stored as a shadow,
 * which hides the row of the parent; other payloads are stored as they are, except that a payload
 * that looks like a shadow is escaped.
 *
 * <pre>
 *   shadow                            mark
 *   payload that begins with a mark   mark 01 payload
 *   other payload                     payload
 * </pre>
 *
 * Pure functions.
 */
public final class Shadows {
    private static final byte[] MARK = "\0petrichor.shadow".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ESCAPE = Bytes.concat(MARK, new byte[] {1});

    private Shadows() {}

    /** The stored form of a payload, or of its absence. */
    public static byte[] encode(byte @Nullable [] payload) {
        if (payload == null) {
            return MARK;
        }
        return beginsWithMark(payload) ? Bytes.concat(ESCAPE, payload) : payload;
    }

    /** The row that a stored row represents; null if it is a shadow. */
    public static @Nullable Row decode(Row stored) {
        byte[] payload = stored.value();
        if (!beginsWithMark(payload)) {
            return stored;
        }
        return isShadow(payload)
                ? null
                : new Row(stored.key(), stored.version(), unescaped(payload));
    }

    static boolean isShadow(byte[] stored) {
        return Arrays.equals(stored, MARK);
    }

    /** The payload of a stored row that is not a shadow. */
    static byte[] payload(byte[] stored) {
        return beginsWithMark(stored) ? unescaped(stored) : stored;
    }

    private static byte[] unescaped(byte[] stored) {
        return Arrays.copyOfRange(stored, ESCAPE.length, stored.length);
    }

    private static boolean beginsWithMark(byte[] payload) {
        return payload.length >= MARK.length
                && Arrays.equals(payload, 0, MARK.length, MARK, 0, MARK.length);
    }
}
