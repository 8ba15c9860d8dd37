package petrichor.tuples;

import java.util.ArrayList;
import java.util.List;
import petrichor.kv.KeyRange;
import petrichor.transactions.Database;
import petrichor.transactions.Snapshot;

/** The ranges of a database's rows that collections have, for a ring. Pure functions. */
public final class TupleRanges {
    private TupleRanges() {}

    /** The tuples, positions and tag index of all collections, present and future. */
    public static List<KeyRange> all() {
        return TupleRows.ofCollections();
    }

    /**
     * Those of one collection, with the layouts that it has now. NOT_FOUND if there is no such
     * collection.
     */
    public static List<KeyRange> of(Database database, String collection) {
        try (Snapshot snapshot = database.snapshot()) {
            TupleCollection found = new TupleCatalog().read(snapshot, collection);
            List<KeyRange> ranges = new ArrayList<>(of(found.layout()));
            TupleLayout next = found.next();
            if (next != null) {
                ranges.addAll(of(next));
            }
            return ranges;
        }
    }

    private static List<KeyRange> of(TupleLayout layout) {
        return List.of(
                TupleRows.tuples(layout), TupleRows.keys(layout.id()), TupleRows.tags(layout.id()));
    }
}
