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
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;

/** Shorthands for the cases of this kit, and for other tests of stores. */
public final class Rows {
    public static final String TABLE = "rows";

    /** Missing tables: one before ours and one after it in sort order. */
    static final List<String> MISSING = List.of("missing", "zmissing");

    private Rows() {}

    public static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    public static WriteBatch put(String key, String value) {
        return new WriteBatch().put(TABLE, bytes(key), bytes(value));
    }

    public static @Nullable String value(Reads reads, String key) {
        byte[] value = reads.get(TABLE, bytes(key));
        return value == null ? null : new String(value, UTF_8);
    }

    /** Puts a row per key, whose value is the key. */
    public static void fill(KeyValueStore store, String... keys) {
        WriteBatch batch = new WriteBatch();
        for (String key : keys) {
            batch.put(TABLE, bytes(key), bytes(key));
        }
        store.write(batch);
    }

    public static KeyRange range(String from, @Nullable String to) {
        return new KeyRange(bytes(from), to == null ? null : bytes(to));
    }

    public static List<String> keys(Reads reads, KeyRange range, Direction direction, int limit) {
        List<String> keys = new ArrayList<>();
        try (Scan scan = reads.scan(TABLE, range, direction, limit)) {
            while (scan.next()) {
                keys.add(new String(scan.key(), UTF_8));
            }
        }
        return keys;
    }

    public static List<String> keys(Reads reads) {
        return keys(reads, KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE);
    }

    /** Keys in hex, for keys that are not text. */
    public static List<String> hexKeys(Reads reads, KeyRange range, Direction direction) {
        List<String> keys = new ArrayList<>();
        try (Scan scan = reads.scan(TABLE, range, direction, Integer.MAX_VALUE)) {
            while (scan.next()) {
                keys.add(HexFormat.of().formatHex(scan.key()));
            }
        }
        return keys;
    }

    public static void assertFails(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> Assertions.assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    public static int count(Reads reads) {
        return keys(reads).size();
    }

    public static DurableStep.ConditionalRow step(KeyValueStore store) {
        return (DurableStep.ConditionalRow) store.durableStep();
    }

    /** The text of the failure, which must have this code and be one line. */
    public static String failure(ErrorCode code, ThrowingCallable call) {
        PetrichorException failure =
                Assertions.catchThrowableOfType(PetrichorException.class, call);
        Assertions.assertThat(failure).as("a failure").isNotNull();
        Assertions.assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
        Assertions.assertThat(failure).hasMessageNotContaining("\n");
        return String.valueOf(failure.getMessage());
    }
}
