package petrichor.transactions.log;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.transactions.Placement;
import petrichor.transactions.rows.MergedScan;

/**
 * Presents several stores as one. Reads of a row go to the store that holds it; range scans merge,
 * by key, the stores that may hold part of the range. Stores that are not involved may be
 * unreachable.
 *
 * @param stores by number
 */
record RoutedReads(List<Reads> stores, StoredPlacement placement) implements Reads {

    @Override
    public byte @Nullable [] get(String table, byte[] key) {
        return stores.get(placement.storeOf(table, key)).get(table, key);
    }

    @Override
    public List<byte @Nullable []> get(String table, List<byte[]> keys) {
        int[] places = new int[keys.size()];
        boolean one = true;
        for (int i = 0; i < places.length; i++) {
            places[i] = placement.storeOf(table, keys.get(i));
            one &= places[i] == places[0];
        }
        if (one) {
            return stores.get(places.length == 0 ? Placement.HOME : places[0]).get(table, keys);
        }
        List<byte @Nullable []> values =
                new ArrayList<>(Collections.<byte @Nullable []>nCopies(keys.size(), null));
        for (int store = 0; store < stores.size(); store++) {
            getFrom(store, table, keys, places, values);
        }
        return values;
    }

    private void getFrom(
            int store,
            String table,
            List<byte[]> keys,
            int[] places,
            List<byte @Nullable []> values) {
        List<byte[]> wanted = new ArrayList<>();
        List<Integer> at = new ArrayList<>();
        for (int i = 0; i < places.length; i++) {
            if (places[i] == store) {
                wanted.add(keys.get(i));
                at.add(i);
            }
        }
        if (wanted.isEmpty()) {
            return;
        }
        List<byte @Nullable []> found = stores.get(store).get(table, wanted);
        for (int i = 0; i < wanted.size(); i++) {
            values.set(at.get(i), found.get(i));
        }
    }

    @Override
    public Scan scan(String table, KeyRange range, Direction direction, int limit) {
        List<Scan> scans = new ArrayList<>(stores.size());
        try {
            for (int store = 0; store < stores.size(); store++) {
                if (placement.mayHold(store, table, range)) {
                    scans.add(stores.get(store).scan(table, range, direction, limit));
                }
            }
        } catch (RuntimeException failed) {
            scans.forEach(Scan::close);
            throw failed;
        }
        return scans.size() == 1 ? scans.getFirst() : new MergedScan(scans, direction, limit);
    }
}
