package petrichor.tuples;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;

/**
 * What is known about the use of a collection.
 *
 * @param layout that is read now
 * @param operations a sample
 * @param seen operations from which they were drawn
 * @param tuples a sample
 * @param groups that are assigned to affinity keys of the current layout
 */
record Workload(
        TupleLayout layout,
        List<SampledOperation> operations,
        long seen,
        TupleSample tuples,
        Map<String, Integer> groups) {
    private static final int KEYS_AT_ONCE = 1_000;

    Workload {
        operations = List.copyOf(operations);
        groups = Map.copyOf(groups);
    }

    /** The groups of the affinity keys of these tuples. */
    static Map<String, Integer> groups(
            RowReader reader,
            TupleLayout layout,
            List<SampledOperation> operations,
            TupleSample sample) {
        Set<String> names = new LinkedHashSet<>();
        sample.tuples().forEach(tuple -> add(names, layout.affinityKey(tuple.key())));
        operations.forEach(
                operation ->
                        operation
                                .tuples()
                                .forEach(one -> add(names, layout.affinityKey(one.tuple().key()))));
        Map<String, Integer> groups = new HashMap<>();
        List<String> all = List.copyOf(names);
        for (int at = 0; at < all.size(); at += KEYS_AT_ONCE) {
            List<String> some = all.subList(at, Math.min(all.size(), at + KEYS_AT_ONCE));
            List<byte[]> rows = new ArrayList<>();
            some.forEach(name -> rows.add(TupleRows.assignment(layout.base().collection(), name)));
            List<@Nullable Row> found = reader.get(rows);
            for (int k = 0; k < some.size(); k++) {
                Row row = found.get(k);
                if (row != null) {
                    groups.put(some.get(k), ByteBuffer.wrap(row.value()).getInt());
                }
            }
        }
        return groups;
    }

    private static void add(Set<String> names, @Nullable String name) {
        if (name != null) {
            names.add(name);
        }
    }
}
