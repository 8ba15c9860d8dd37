package petrichor.testing.simulation;

import java.util.List;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.transactions.Placement;
import petrichor.transactions.log.RoutedStores;

/**
 * Distributes rows over two stores by the last bits of their keys, so that every range has rows in
 * both.
 */
final class ScatteredRows implements Placement {
    private ScatteredRows() {}

    /**
     * @param stores one or two
     */
    static RoutedStores over(List<KeyValueStore> stores) {
        return stores.size() == 1
                ? RoutedStores.of(stores.getFirst())
                : new RoutedStores(
                        stores.getFirst(),
                        List.of(new RoutedStores.Other("other", stores.getLast())),
                        new ScatteredRows(),
                        "scattered");
    }

    @Override
    public int storeOf(byte[] key) {
        return key.length == 0 ? HOME : key[key.length - 1] & 1;
    }

    @Override
    public boolean mayHold(int store, KeyRange keys) {
        return true;
    }
}
