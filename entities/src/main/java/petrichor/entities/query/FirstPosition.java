package petrichor.entities.query;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.entities.IndexDefinition.Column;
import petrichor.entities.IndexedValues;
import petrichor.entities.SortOrder;
import petrichor.entities.ValueCodec;

/**
 * Computes the first position of an entity in a query's results from the entity. It determines
 * whether an entity with several values was a result before a cursor. Immutable.
 */
final class FirstPosition {
    private final Shape shape;
    private final List<Conjunction> conjunctions;

    FirstPosition(Shape shape, List<Conjunction> conjunctions) {
        this.shape = shape;
        this.conjunctions = conjunctions;
    }

    /**
     * Whether the entity already occurred before this point, given that it now occurs after it.
     * Entities that can occur only once are not examined.
     */
    boolean isBefore(Point point, Entity entity, byte[] path) {
        if (conjunctions.size() == 1
                && shape.columns().stream().allMatch(c -> isSingle(entity, c.property()))) {
            return false;
        }
        return !point.isBefore(of(entity, path));
    }

    /** Whether the property cannot have several values. */
    private static boolean isSingle(Entity entity, String property) {
        Value value = entity.getPropertiesMap().get(property);
        boolean dotted = property.indexOf('.') >= 0;
        return property.equals(QueryCheck.KEY)
                || (!dotted && value != null && !value.hasArrayValue());
    }

    /** The entity must be a result of the query. */
    private byte[] of(Entity entity, byte[] path) {
        byte[] first = find(entity, path);
        if (first == null) {
            throw MergedWalk.missing();
        }
        return first;
    }

    /** Null if the entity is not a result of the query. */
    byte @Nullable [] find(Entity entity, byte[] path) {
        IndexedValues values = IndexedValues.of(entity);
        byte[] first = null;
        for (Conjunction conjunction : conjunctions) {
            byte[] position = of(conjunction, values, entity.getKey(), path);
            if (position != null && (first == null || Bytes.compare(position, first) < 0)) {
                first = position;
            }
        }
        return first;
    }

    private byte @Nullable [] of(
            Conjunction conjunction, IndexedValues values, Key key, byte[] path) {
        byte[] ancestor = conjunction.ancestor();
        if ((ancestor != null && !Bytes.startsWith(path, ancestor))
                || !conjunction.keys().contains(path)) {
            return null;
        }
        for (var equality : conjunction.equalities().entrySet()) {
            if (!values.of(equality.getKey()).containsAll(equality.getValue())) {
                return null;
            }
        }
        List<byte[]> columns = new ArrayList<>();
        for (Column column : shape.columns()) {
            if (column.property().equals(QueryCheck.KEY)) {
                Value own = Value.newBuilder().setKeyValue(key).build();
                columns.add(ValueCodec.encode(own, column.order()));
                continue;
            }
            List<Bytes> equal = conjunction.constants(column.property());
            Interval range = conjunction.ranges().getOrDefault(column.property(), Interval.ALL);
            byte[] best =
                    best(
                            equal == null ? values.of(column.property()) : equal,
                            range,
                            column.order());
            if (best == null) {
                return null;
            }
            columns.add(best);
        }
        return new Position(shape).of(columns, path);
    }

    private static byte @Nullable [] best(
            Collection<Bytes> values, Interval range, SortOrder order) {
        byte[] best = null;
        for (Bytes value : values) {
            if (range.contains(value.array())) {
                byte[] here =
                        order == SortOrder.ASCENDING
                                ? value.array()
                                : Interval.invert(value.array());
                best = best == null || Arrays.compareUnsigned(here, best) < 0 ? here : best;
            }
        }
        return best;
    }
}
