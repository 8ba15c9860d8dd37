package petrichor.kv.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.assertFails;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.fill;
import static petrichor.kv.testkit.Rows.hexKeys;
import static petrichor.kv.testkit.Rows.keys;
import static petrichor.kv.testkit.Rows.range;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;

/** Conformance of scans: order, ranges, directions and limits. */
public interface ScanConformance extends StoreUnderTest {
    int ALL = Integer.MAX_VALUE;
    int LARGE_VALUE_BYTES = 100_000;

    @Test
    default void keysAreOrderedAsUnsignedBytesShorterFirst() {
        List<String> ordered =
                List.of(
                        "", "00", "0000", "0001", "00ff", "01", "7f", "80", "fe", "ff", "ff00",
                        "ffff");
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            for (String key : ordered.reversed()) {
                store.write(new WriteBatch().put(TABLE, HexFormat.of().parseHex(key), bytes("v")));
            }
            assertThat(hexKeys(store, KeyRange.ALL, Direction.FORWARD)).isEqualTo(ordered);
            assertThat(hexKeys(store, KeyRange.ALL, Direction.REVERSE))
                    .isEqualTo(ordered.reversed());
        }
    }

    @Test
    default void prefixRangeOfFFExtendsToTheEndOfTheTable() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            for (String key : List.of("fe", "ff", "ff00", "ffff")) {
                store.write(new WriteBatch().put(TABLE, HexFormat.of().parseHex(key), bytes("v")));
            }
            KeyRange range = KeyRange.ofPrefix(new byte[] {(byte) 0xFF});
            assertThat(hexKeys(store, range, Direction.FORWARD))
                    .containsExactly("ff", "ff00", "ffff");
            assertThat(hexKeys(store, range, Direction.REVERSE))
                    .containsExactly("ffff", "ff00", "ff");
        }
    }

    @Test
    default void rangeIncludesItsStartAndExcludesItsEnd() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            fill(store, "a", "b", "c", "d");
            KeyRange range = range("b", "d");
            assertThat(keys(store, range, Direction.FORWARD, ALL)).containsExactly("b", "c");
            assertThat(keys(store, range, Direction.REVERSE, ALL)).containsExactly("c", "b");
            KeyRange betweenKeys = range("aa", "cc");
            assertThat(keys(store, betweenKeys, Direction.FORWARD, ALL)).containsExactly("b", "c");
            assertThat(keys(store, betweenKeys, Direction.REVERSE, ALL)).containsExactly("c", "b");
        }
    }

    @Test
    default void rangesOutsideTheRowsAreEmpty() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            for (Direction direction : Direction.values()) {
                assertThat(keys(store, KeyRange.ALL, direction, ALL)).isEmpty();
            }
            fill(store, "m");
            for (Direction direction : Direction.values()) {
                assertThat(keys(store, range("a", "b"), direction, ALL)).isEmpty();
                assertThat(keys(store, range("n", null), direction, ALL)).isEmpty();
                assertThat(keys(store, range("m", "m"), direction, ALL)).isEmpty();
                assertThat(keys(store, range("", ""), direction, ALL)).isEmpty();
            }
        }
    }

    @Test
    default void limitEndsAScanInBothDirections() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            fill(store, "a", "b", "c");
            assertThat(keys(store, KeyRange.ALL, Direction.FORWARD, 2)).containsExactly("a", "b");
            assertThat(keys(store, KeyRange.ALL, Direction.REVERSE, 2)).containsExactly("c", "b");
            assertThat(keys(store, KeyRange.ALL, Direction.FORWARD, 0)).isEmpty();
            assertThat(keys(store, KeyRange.ALL, Direction.FORWARD, 3)).hasSize(3);
            assertFails(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> keys(store, KeyRange.ALL, Direction.FORWARD, -1));
        }
    }

    @Test
    default void scanStaysAtItsEnd() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            fill(store, "a");
            try (Scan scan = store.scan(TABLE, KeyRange.ALL, Direction.FORWARD, ALL)) {
                assertThatThrownBy(scan::key).isInstanceOf(NoSuchElementException.class);
                assertThat(scan.next()).isTrue();
                assertThat(scan.next()).isFalse();
                assertThat(scan.next()).isFalse();
                assertThatThrownBy(scan::value).isInstanceOf(NoSuchElementException.class);
            }
        }
    }

    @Test
    default void closedScanRefusesToContinue() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            fill(store, "a");
            Scan scan = store.scan(TABLE, KeyRange.ALL, Direction.FORWARD, ALL);
            scan.close();
            scan.close();
            assertFails(ErrorCode.UNAVAILABLE, scan::next);
        }
    }

    @Test
    default void deletedRowsAndRangesAreNotScanned() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            fill(store, "a", "b", "c", "d", "e");
            store.write(
                    new WriteBatch().delete(TABLE, bytes("a")).deleteRange(TABLE, range("c", "e")));
            assertThat(keys(store)).containsExactly("b", "e");
            assertThat(keys(store, KeyRange.ALL, Direction.REVERSE, ALL)).containsExactly("e", "b");
        }
    }

    @Test
    default void tenThousandRowsComeInOrderWithTheirValues() {
        int rows = 10_000;
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            WriteBatch batch = new WriteBatch();
            for (int i = 0; i < rows; i++) {
                // A step coprime to the count visits every number once.
                String key = String.format("%05d", i * 7919L % rows);
                batch.put(TABLE, bytes(key), bytes("value of " + key));
            }
            store.write(batch);
            List<String> values = new ArrayList<>();
            try (Scan scan = store.scan(TABLE, KeyRange.ALL, Direction.FORWARD, ALL)) {
                while (scan.next()) {
                    values.add(new String(scan.value(), UTF_8));
                }
            }
            assertThat(values).hasSize(rows).isSorted().doesNotHaveDuplicates();
        }
    }

    /** More than a store puts into one page. */
    @Test
    default void rowsOfSeveralMebibytesComeInOrderInBothDirections() {
        int rows = 40;
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            List<String> keys = new ArrayList<>();
            for (int i = 0; i < rows; i++) {
                keys.add("row " + (100 + i));
                store.write(
                        new WriteBatch()
                                .put(TABLE, bytes(keys.get(i)), new byte[LARGE_VALUE_BYTES + i]));
            }
            assertThat(keys(store)).isEqualTo(keys);
            assertThat(keys(store, KeyRange.ALL, Direction.REVERSE, ALL))
                    .isEqualTo(keys.reversed());
            int sum = 0;
            try (Scan scan = store.scan(TABLE, KeyRange.ALL, Direction.FORWARD, ALL)) {
                while (scan.next()) {
                    sum += scan.value().length - LARGE_VALUE_BYTES;
                }
            }
            assertThat(sum).isEqualTo(rows * (rows - 1) / 2);
        }
    }
}
