package petrichor.entities.query;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.Value;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.entities.IndexDefinition.Column;
import petrichor.entities.SortOrder;
import petrichor.entities.ValueCodec;

/**
 * Selects the value of a property that a query result contributes to a sum. An array has several:
 * it contributes the one at which the query finds the entity, or would if the property were its
 * last order. So the sum is the same whether read from an index or from the entities. Immutable.
 */
final class SummedValue {
    private final String property;
    private final Position positions;
    private final FirstPosition firstPosition;

    /** Index of the property among the columns of the query. */
    private final int column;

    private final SortOrder order;
    private final boolean inPosition;

    /** The value that the query's filter fixes. */
    private final @Nullable Value constant;

    SummedValue(String property, PlannedQuery planned) {
        this.property = property;
        Shape shape = planned.shape();
        List<Bytes> equal =
                Shape.constant(property, planned.conjunctions())
                        ? planned.conjunctions().getFirst().equalities().get(property)
                        : null;
        this.constant =
                equal == null
                        ? null
                        : ValueCodec.decode(
                                (descends(property, planned) ? equal.getLast() : equal.getFirst())
                                        .array(),
                                0,
                                SortOrder.ASCENDING);
        int found = find(property, shape);
        this.inPosition = constant != null || found >= 0;
        Shape ordered = inPosition ? shape : shape.orderedBy(List.of(property), false);
        this.column = inPosition ? found : find(property, ordered);
        this.order = column < 0 ? SortOrder.ASCENDING : ordered.columns().get(column).order();
        this.positions = new Position(ordered);
        this.firstPosition = new FirstPosition(ordered, planned.conjunctions());
    }

    /** Whether the query orders by the property in descending direction although it is constant. */
    private static boolean descends(String property, PlannedQuery planned) {
        for (PropertyOrder order : planned.query().getOrderList()) {
            if (order.getProperty().getName().equals(property)) {
                return order.getDirection() == PropertyOrder.Direction.DESCENDING;
            }
        }
        return false;
    }

    private static int find(String property, Shape shape) {
        int index = 0;
        for (Column column : shape.columns()) {
            if (column.property().equals(property)) {
                return index;
            }
            index++;
        }
        return -1;
    }

    String property() {
        return property;
    }

    /** Whether a result's position contains its value; otherwise the entity is needed. */
    boolean inPosition() {
        return inPosition;
    }

    Value at(byte[] position) {
        return constant == null
                ? ValueCodec.decode(position, positions.end(position, column), order)
                : constant;
    }

    /** The value of an entity that is a result of the query; null if it has none. */
    @Nullable Value of(Entity entity, byte[] path) {
        Value value = entity.getPropertiesMap().get(property);
        boolean single = property.indexOf('.') < 0 && (value == null || !value.hasArrayValue());
        if (single) {
            return value == null || value.getExcludeFromIndexes() ? null : value;
        }
        byte[] first = firstPosition.find(entity, path);
        return first == null ? null : at(first);
    }
}
