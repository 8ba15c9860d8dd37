package petrichor.kv.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.StoreView;
import petrichor.kv.WriteBatch;

class MemoryStoreTest {
    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void viewKeepsWhatLaterWritesChange() {
        try (MemoryStore store = MemoryStore.open()) {
            store.createTable("rows");
            store.write(new WriteBatch().put("rows", bytes("a"), bytes("1")));
            try (StoreView view = store.view()) {
                store.write(new WriteBatch().deleteRange("rows", KeyRange.ALL));
                assertThat(view.get("rows", bytes("a"))).isEqualTo(bytes("1"));
                assertThat(store.get("rows", bytes("a"))).isNull();
            }
        }
    }

    @Test
    void scanWithoutViewsSeesRowsThatArriveAheadOfIt() {
        try (MemoryStore store = MemoryStore.open(MemoryOptions.DEFAULT.withoutViews())) {
            store.createTable("rows");
            store.write(new WriteBatch().put("rows", bytes("a"), bytes("1")));
            try (Scan scan =
                    store.scan("rows", KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE)) {
                assertThat(scan.next()).isTrue();
                store.write(new WriteBatch().put("rows", bytes("b"), bytes("2")));
                assertThat(scan.next()).isTrue();
                assertThat(scan.key()).isEqualTo(bytes("b"));
            }
        }
    }

    @Test
    void treapHoldsWhatASortedMapHolds() {
        SplittableRandom random = new SplittableRandom(7);
        TreeMap<Bytes, byte[]> expected = new TreeMap<>();
        Treap tree = null;
        for (int i = 0; i < 20_000; i++) {
            byte[] key = {(byte) random.nextInt(8), (byte) random.nextInt(256)};
            byte[] value = {(byte) i};
            if (random.nextInt(3) > 0) {
                expected.put(Bytes.of(key), value);
                tree = Treap.put(tree, key, value, random.nextInt());
            } else if (random.nextInt(50) > 0) {
                expected.remove(Bytes.of(key));
                tree = Treap.remove(tree, key);
            } else {
                byte[] to = {key[0], (byte) 0xFF};
                expected.subMap(Bytes.of(key), Bytes.of(to)).clear();
                tree = Treap.removeRange(tree, key, to);
            }
        }
        List<Map.Entry<Bytes, Bytes>> rows = new ArrayList<>();
        for (Treap row = Treap.ceiling(tree, new byte[0]);
                row != null;
                row = Treap.ceiling(tree, Bytes.successor(row.key()))) {
            rows.add(Map.entry(Bytes.of(row.key()), Bytes.of(row.value())));
        }
        assertThat(rows).hasSize(expected.size()).hasSizeGreaterThan(500);
        assertThat(rows)
                .allSatisfy(
                        row ->
                                assertThat(expected.get(row.getKey()))
                                        .isEqualTo(row.getValue().array()));
    }
}
