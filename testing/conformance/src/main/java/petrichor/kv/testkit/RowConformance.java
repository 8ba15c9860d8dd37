package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.assertFails;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.fill;
import static petrichor.kv.testkit.Rows.keys;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.range;
import static petrichor.kv.testkit.Rows.value;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.kv.Capabilities;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.WriteBatch;

/** Conformance of tables, single rows and batches. */
public interface RowConformance extends StoreUnderTest {

    @Test
    default void rowHasItsLastValue() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            store.write(put("a", "1"));
            assertThat(value(store, "a")).isEqualTo("1");
            store.write(put("a", "2"));
            assertThat(value(store, "a")).isEqualTo("2");
            assertThat(value(store, "b")).isNull();
        }
    }

    @Test
    default void deletingARowIsIdempotent() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            store.write(put("a", "1"));
            store.write(new WriteBatch().delete(TABLE, bytes("a")));
            store.write(new WriteBatch().delete(TABLE, bytes("a")));
            assertThat(value(store, "a")).isNull();
            assertThat(keys(store)).isEmpty();
        }
    }

    @Test
    default void emptyKeyAndEmptyValueAreARow() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            store.write(put("", ""));
            assertThat(value(store, "")).isEmpty();
            assertThat(keys(store)).containsExactly("");
        }
    }

    @Test
    default void valueOfOneMebibyteIsReadCompletely() {
        byte[] value = new byte[1 << 20];
        new SplittableRandom(1).nextBytes(value);
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            store.write(new WriteBatch().put(TABLE, bytes("a"), value.clone()));
            assertThat(store.get(TABLE, bytes("a"))).isEqualTo(value);
        }
    }

    @Test
    default void severalKeysAreReadInOrderWithGapsAndRepeats() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            fill(store, "a", "b");
            assertThat(store.get(TABLE, List.of(bytes("b"), bytes("x"), bytes("a"), bytes("b"))))
                    .containsExactly(bytes("b"), null, bytes("a"), bytes("b"));
            assertThat(store.get(TABLE, List.of())).isEmpty();
        }
    }

    @Test
    default void changesOfABatchApplyInTheirOrder() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            fill(store, "b", "m", "z");
            store.write(
                    new WriteBatch()
                            .put(TABLE, bytes("a"), bytes("first"))
                            .put(TABLE, bytes("a"), bytes("second"))
                            .put(TABLE, bytes("c"), bytes("lost"))
                            .deleteRange(TABLE, range("b", "n"))
                            .put(TABLE, bytes("m"), bytes("back"))
                            .put(TABLE, bytes("q"), bytes("lost"))
                            .delete(TABLE, bytes("q")));
            assertThat(keys(store)).containsExactly("a", "m", "z");
            assertThat(value(store, "a")).isEqualTo("second");
            assertThat(value(store, "m")).isEqualTo("back");
        }
    }

    @Test
    default void rangeWithoutEndIsDeletedToTheLastRowOfTheSameBatch() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            fill(store, "a", "b", "c");
            store.write(
                    new WriteBatch()
                            .put(TABLE, bytes("zz"), bytes("lost"))
                            .deleteRange(TABLE, range("b", null)));
            assertThat(keys(store)).containsExactly("a");
            store.write(new WriteBatch().deleteRange(TABLE, KeyRange.ALL));
            assertThat(keys(store)).isEmpty();
            store.write(new WriteBatch().deleteRange(TABLE, KeyRange.ALL));
            assertThat(keys(store)).isEmpty();
        }
    }

    @Test
    default void emptyRangeDeletesNothing() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            fill(store, "a");
            store.write(new WriteBatch().deleteRange(TABLE, range("a", "a")));
            assertThat(keys(store)).containsExactly("a");
        }
    }

    @Test
    default void emptyBatchIsAccepted() {
        try (KeyValueStore store = open()) {
            store.write(new WriteBatch());
            assertThat(store.tables()).isEmpty();
        }
    }

    @Test
    default void tablesAreIndependent() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            store.createTable("other");
            store.write(put("a", "1").put("other", bytes("a"), bytes("2")));
            assertThat(value(store, "a")).isEqualTo("1");
            assertThat(store.get("other", bytes("a"))).isEqualTo(bytes("2"));
            assertThat(store.tables()).containsExactlyInAnyOrder(TABLE, "other");
        }
    }

    @Test
    default void creatingATableAgainKeepsItsRows() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            fill(store, "a");
            store.createTable(TABLE);
            assertThat(keys(store)).containsExactly("a");
        }
    }

    @Test
    default void recreatedTableIsEmpty() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            fill(store, "a");
            store.dropTable(TABLE);
            store.dropTable(TABLE);
            assertThat(store.tables()).isEmpty();
            assertFails(ErrorCode.NOT_FOUND, () -> store.get(TABLE, bytes("a")));
            store.createTable(TABLE);
            assertThat(keys(store)).isEmpty();
        }
    }

    @Test
    default void missingTableIsAnError() {
        try (KeyValueStore store = open()) {
            assertFails(ErrorCode.NOT_FOUND, () -> store.get(TABLE, bytes("a")));
            assertFails(ErrorCode.NOT_FOUND, () -> store.get(TABLE, List.of(bytes("a"))));
            assertFails(ErrorCode.NOT_FOUND, () -> keys(store));
            assertFails(ErrorCode.NOT_FOUND, () -> store.write(put("a", "1")));
        }
    }

    @Test
    default void batchWithOneUnknownTableWritesNothing() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            for (String missing : Rows.MISSING) {
                assertFails(
                        ErrorCode.NOT_FOUND,
                        () -> store.write(put("a", "1").put(missing, bytes("a"), bytes("1"))));
                assertThat(keys(store)).isEmpty();
            }
        }
    }

    @Test
    default void invalidTableNamesAreRefused() {
        try (KeyValueStore store = open()) {
            for (String name :
                    List.of("", "Rows", "1rows", "ro-ws", "ro\u0000ws", "r".repeat(49))) {
                assertFails(ErrorCode.INVALID_ARGUMENT, () -> store.createTable(name));
            }
            assertThat(store.tables()).isEmpty();
        }
    }

    @Test
    default void keysAndValuesOverTheLimitAreRefusedAndNothingIsWritten() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            Capabilities limits = store.capabilities();
            assertFails(
                    ErrorCode.INVALID_ARGUMENT,
                    () ->
                            store.write(
                                    put("a", "1")
                                            .put(
                                                    TABLE,
                                                    new byte[limits.keyBytesMax() + 1],
                                                    bytes("1"))));
            assertFails(
                    ErrorCode.INVALID_ARGUMENT,
                    () ->
                            store.write(
                                    put("a", "1")
                                            .put(
                                                    TABLE,
                                                    bytes("b"),
                                                    new byte[limits.valueBytesMax() + 1])));
            assertThat(keys(store)).isEmpty();
        }
    }

    @Test
    default void keyOfMaximumLengthIsARow() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            byte[] key = new byte[store.capabilities().keyBytesMax()];
            store.write(new WriteBatch().put(TABLE, key, bytes("1")));
            assertThat(store.get(TABLE, key)).isEqualTo(bytes("1"));
        }
    }

    @Test
    default void returnedArraysBelongToTheCaller() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            store.write(put("a", "1"));
            byte[] value = store.get(TABLE, bytes("a"));
            assertThat(value).isEqualTo(bytes("1"));
            Arrays.fill(value, (byte) 'x');
            assertThat(value(store, "a")).isEqualTo("1");
        }
    }

    @Test
    default void rowsAndTablesSurviveReopening() {
        KeyValueStore first = open();
        first.createTable(TABLE);
        first.createTable("other");
        first.write(put("a", "1"));
        first.dropTable("other");
        try (KeyValueStore store = reopen(first)) {
            assertThat(store.tables()).containsExactly(TABLE);
            assertThat(value(store, "a")).isEqualTo("1");
        }
    }

    @Test
    default void closedStoreRefusesEveryCallAndClosesTwice() {
        KeyValueStore store = open();
        store.createTable(TABLE);
        store.close();
        store.close();
        assertFails(ErrorCode.UNAVAILABLE, () -> value(store, "a"));
        assertFails(ErrorCode.UNAVAILABLE, () -> keys(store));
        assertFails(ErrorCode.UNAVAILABLE, () -> store.write(put("a", "1")));
        assertFails(ErrorCode.UNAVAILABLE, () -> store.createTable("other"));
        assertFails(ErrorCode.UNAVAILABLE, store::tables);
    }
}
