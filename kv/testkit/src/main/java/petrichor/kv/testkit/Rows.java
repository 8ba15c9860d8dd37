package petrichor.kv.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;

/** Short ways to say what the cases of this kit say often. */
final class Rows {
    static final String TABLE = "rows";

    private Rows() {}

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static WriteBatch put(String key, String value) {
        return new WriteBatch().put(TABLE, bytes(key), bytes(value));
    }

    static @Nullable String value(Reads reads, String key) {
        byte[] value = reads.get(TABLE, bytes(key));
        return value == null ? null : new String(value, UTF_8);
    }

    /** Puts a row per key, whose value is the key. */
    static void fill(KeyValueStore store, String... keys) {
        WriteBatch batch = new WriteBatch();
        for (String key : keys) {
            batch.put(TABLE, bytes(key), bytes(key));
        }
        store.write(batch);
    }

    static KeyRange range(String from, @Nullable String to) {
        return new KeyRange(bytes(from), to == null ? null : bytes(to));
    }

    static List<String> keys(Reads reads, KeyRange range, Direction direction, int limit) {
        List<String> keys = new ArrayList<>();
        try (Scan scan = reads.scan(TABLE, range, direction, limit)) {
            while (scan.next()) {
                keys.add(new String(scan.key(), UTF_8));
            }
        }
        return keys;
    }

    static List<String> keys(Reads reads) {
        return keys(reads, KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE);
    }

    /** Keys in hex, for those that are no text. */
    static List<String> hexKeys(Reads reads, KeyRange range, Direction direction) {
        List<String> keys = new ArrayList<>();
        try (Scan scan = reads.scan(TABLE, range, direction, Integer.MAX_VALUE)) {
            while (scan.next()) {
                keys.add(HexFormat.of().formatHex(scan.key()));
            }
        }
        return keys;
    }

    static void assertFails(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> Assertions.assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }
}
