package petrichor.entities.query;

import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.entities.CompositeIndex;
import petrichor.entities.IndexDefinition.Column;
import petrichor.entities.SortOrder;

/**
 * The alternative orders in which a query may be answered, other than that of its {@link Shape},
 * because the query leaves them open: distinct properties come in any order, then projected ones,
 * both in any direction; so does a property with inequalities when the query has no order. An index
 * may also name the key as its last column. These are Google's rules for matching the end of an
 * index to a query. Stateless.
 */
final class Permutations {
    private final Query query;
    private final Shape shape;

    /** How far the query determines a column. */
    private enum Freedom {
        FIXED,
        DIRECTION,
        DISTINCT,
        UNORDERED
    }

    Permutations(Query query, Shape shape) {
        this.query = query;
        this.shape = shape;
    }

    /** The orders that one of the indexes supports, without the shape itself. */
    Set<Shape> in(List<CompositeIndex> indexes) {
        Set<Shape> found = new LinkedHashSet<>();
        for (CompositeIndex index : indexes) {
            List<Column> has = index.definition().columns();
            boolean key = has.getLast().property().equals(QueryCheck.KEY);
            Shape candidate = key ? endingWithKey(has) : ending(has);
            if (candidate != null && !candidate.equals(shape)) {
                found.add(candidate);
            }
        }
        return found;
    }

    private @Nullable Shape ending(List<Column> has) {
        int fixed = has.size() - shape.columns().size();
        if (fixed < 0) {
            return null;
        }
        boolean reverse = shape.keyOrder() == SortOrder.DESCENDING;
        List<Column> tail =
                has.subList(fixed, has.size()).stream()
                        .map(column -> reverse ? column.reversed() : column)
                        .toList();
        return matches(tail) ? shape.with(tail, shape.keyOrder()) : null;
    }

    private @Nullable Shape endingWithKey(List<Column> has) {
        int fixed = has.size() - 1 - shape.columns().size();
        boolean same = has.getLast().order() == shape.keyOrder();
        if (fixed < 0 || !same || !matches(has.subList(fixed, has.size() - 1))) {
            return null;
        }
        return shape.with(has.subList(fixed, has.size()), SortOrder.ASCENDING);
    }

    private boolean matches(List<Column> tail) {
        List<Column> columns = shape.columns();
        int at = 0;
        while (at < columns.size()) {
            Freedom freedom = freedom(columns.get(at));
            int end = at + 1;
            while (end < columns.size() && freedom == freedom(columns.get(end))) {
                end++;
            }
            List<Column> wanted = columns.subList(at, end);
            List<Column> found = tail.subList(at, end);
            boolean same =
                    switch (freedom) {
                        case FIXED -> found.equals(wanted);
                        case DIRECTION, DISTINCT, UNORDERED -> names(found).equals(names(wanted));
                    };
            if (!same) {
                return false;
            }
            at = end;
        }
        return true;
    }

    private static Set<String> names(List<Column> columns) {
        Set<String> names = new HashSet<>();
        columns.forEach(column -> names.add(column.property()));
        return names;
    }

    private Freedom freedom(Column column) {
        String property = column.property();
        boolean ordered =
                query.getOrderList().stream()
                        .map(PropertyOrder::getProperty)
                        .map(PropertyReference::getName)
                        .anyMatch(property::equals);
        if (ordered || property.equals(QueryCheck.KEY)) {
            return Freedom.FIXED;
        }
        if (query.getDistinctOnList().stream().anyMatch(p -> p.getName().equals(property))) {
            return Freedom.DISTINCT;
        }
        List<String> ranged = new ArrayList<>(Shape.ranged(query.getFilter()));
        if (ranged.contains(property)) {
            return ranged.size() == 1 && query.getOrderCount() == 0
                    ? Freedom.DIRECTION
                    : Freedom.FIXED;
        }
        return Freedom.UNORDERED;
    }
}
