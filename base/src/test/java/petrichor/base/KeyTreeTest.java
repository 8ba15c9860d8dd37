package petrichor.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class KeyTreeTest {
    @Test
    void hasTheContentOfASortedMap() {
        SplittableRandom random = new SplittableRandom(7);
        TreeMap<Bytes, byte[]> expected = new TreeMap<>();
        KeyTree<byte[]> tree = null;
        for (int i = 0; i < 20_000; i++) {
            byte[] key = {(byte) random.nextInt(8), (byte) random.nextInt(256)};
            byte[] value = {(byte) i};
            if (random.nextInt(3) > 0) {
                expected.put(Bytes.of(key), value);
                tree = KeyTree.put(tree, key, value, random.nextInt());
            } else if (random.nextInt(50) > 0) {
                expected.remove(Bytes.of(key));
                tree = KeyTree.remove(tree, key);
            } else {
                byte[] to = {key[0], (byte) 0xFF};
                expected.subMap(Bytes.of(key), Bytes.of(to)).clear();
                tree = KeyTree.removeRange(tree, key, to);
            }
        }
        List<Map.Entry<Bytes, Bytes>> rows = new ArrayList<>();
        for (KeyTree<byte[]> row = KeyTree.ceiling(tree, new byte[0]);
                row != null;
                row = KeyTree.ceiling(tree, Bytes.successor(row.key()))) {
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
