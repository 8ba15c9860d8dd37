package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.h2.engine.SessionLocal;
import org.h2.expression.Expression;
import org.h2.message.DbException;
import org.h2.result.Row;
import org.h2.table.TableFilter;
import org.jspecify.annotations.Nullable;
import petrichor.kv.KeyRange;

/**
 * Batched lookups below nested loops: H2 searches the inner table of a join once per row of the
 * outer one. When a batch of outer rows has been read, the keys that these searches will ask for
 * are computed and read together, and the same for the tables that are joined to the inner one.
 * Searches that find no row read ahead read it themselves, so that this changes no result.
 */
final class JoinReads {
    /** Combinations of rows for which keys are computed. */
    private static final int COMBINATIONS_MAX = 4_096;

    private final SessionLocal session;
    private final List<TableFilter> path = new ArrayList<>();
    private List<List<Row>> combinations = new ArrayList<>();

    private JoinReads(SessionLocal session) {
        this.session = session;
    }

    /** Whether the table that is joined to this one is searched by keys that can be computed. */
    static boolean helps(TableFilter outer) {
        return inner(outer) != null;
    }

    private static @Nullable RowIndex inner(TableFilter outer) {
        TableFilter inner = outer.getJoin();
        return inner != null
                        && inner.getNestedJoin() == null
                        && inner.getIndex() instanceof RowIndex index
                        && index.probes() != null
                        && !index.getIndexType().isScan()
                        && FilterState.repeatable(FilterState.conditions(inner))
                ? index
                : null;
    }

    /** Reads ahead what is joined to these rows of a table. */
    static void after(SessionLocal session, TableFilter outer, List<Row> rows) {
        JoinReads reads = new JoinReads(session);
        for (Row row : rows) {
            reads.combinations.add(List.of(row));
        }
        reads.path.add(outer);
        try {
            RowIndex index = inner(outer);
            while (index != null && !reads.combinations.isEmpty()) {
                TableFilter inner = reads.path.getLast().getJoin();
                reads.join(inner, index);
                index = inner(inner);
            }
        } catch (DbException failed) {
            // If H2 computes the same for a row, it fails there.
        }
    }

    private void join(TableFilter inner, RowIndex index) {
        Map<KeyRange, List<Row>> wanted = new LinkedHashMap<>();
        List<List<KeyRange>> ranges = new ArrayList<>(combinations.size());
        for (List<Row> combination : combinations) {
            List<KeyRange> found = ranges(combination, inner, index);
            ranges.add(found);
            found.forEach(range -> wanted.put(range, List.of()));
        }
        Map<KeyRange, List<Row>> read = index.readAhead(session, wanted.keySet());
        List<List<Row>> joined = new ArrayList<>();
        for (int i = 0; i < ranges.size(); i++) {
            for (KeyRange range : ranges.get(i)) {
                for (Row row : read.getOrDefault(range, List.of())) {
                    if (joined.size() < COMBINATIONS_MAX) {
                        List<Row> longer = new ArrayList<>(combinations.get(i));
                        longer.add(row);
                        joined.add(longer);
                    }
                }
            }
        }
        combinations = joined;
        path.add(inner);
    }

    /** The single keys for which the inner table will be searched. */
    private List<KeyRange> ranges(List<Row> combination, TableFilter inner, RowIndex index) {
        for (int i = 0; i < path.size(); i++) {
            path.get(i).set(combination.get(i));
        }
        Expression condition = path.getLast().getFilterCondition();
        if (condition != null
                && FilterState.deterministic(condition)
                && !condition.getBooleanValue(session)) {
            return List.of();
        }
        return index.keys(session, inner);
    }
}
