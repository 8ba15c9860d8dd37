package petrichor.transactions.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Reads;
import petrichor.transactions.Placement;

/**
 * The stores of a set of databases: their home, which has the commit points, and others that hold
 * some of the rows. Owns none of them.
 *
 * @param rule the placement as text, for comparison with other placements; stored with each
 *     database
 */
public record RoutedStores(
        KeyValueStore home, List<Other> others, Placement placement, String rule) {

    /** A store other than the home, with its name in the configuration. */
    public record Other(String name, KeyValueStore store) {}

    public RoutedStores {
        others = List.copyOf(others);
        if (others.isEmpty() != rule.isEmpty()) {
            throw new IllegalArgumentException("a placement needs other stores and a rule");
        }
    }

    /** All rows in one store. */
    public static RoutedStores of(KeyValueStore home) {
        return new RoutedStores(home, List.of(), Placement.NONE, "");
    }

    /** By number, the home first. */
    public List<KeyValueStore> all() {
        List<KeyValueStore> all = new ArrayList<>();
        all.add(home);
        others.forEach(other -> all.add(other.store));
        return all;
    }

    /** Reads the rows of all stores as if they were one store. */
    public Reads reads() {
        return others.isEmpty()
                ? home
                : new RoutedReads(List.copyOf(all()), new StoredPlacement(placement));
    }

    /** The first {@link KeyValueStore#problem()} of any of the stores. */
    public Optional<String> problem() {
        return all().stream().map(KeyValueStore::problem).flatMap(Optional::stream).findFirst();
    }

    /** The longest key that all of them accept. */
    public int keyBytesMax() {
        return all().stream().mapToInt(one -> one.capabilities().keyBytesMax()).min().orElseThrow();
    }

    /** The largest batch that all of them accept, in bytes. */
    public long batchBytesMax() {
        return all().stream()
                .mapToLong(one -> one.capabilities().limits().batchBytesMax())
                .min()
                .orElseThrow();
    }

    /** The longest value that all of them accept. */
    public int valueBytesMax() {
        return all().stream()
                .mapToInt(one -> one.capabilities().valueBytesMax())
                .min()
                .orElseThrow();
    }
}
