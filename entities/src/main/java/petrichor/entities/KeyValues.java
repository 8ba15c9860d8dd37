package petrichor.entities;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.CompositeFilter;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.PropertyTransform;
import com.google.datastore.v1.Value;
import java.util.Map;

/**
 * Fills in the project and database of key values that a client omitted. Some clients (Go, Node)
 * always omit them, others (Python, Java) never do; stored and compared with both filled in, a key
 * written by one is found by the other. Methods return the same object if nothing has to be filled
 * in. A key that names a project is unchanged.
 */
@SuppressWarnings("ReferenceEquality") // identity shows at no cost that nothing changed
public final class KeyValues {
    private final String project;
    private final String database;

    public KeyValues(String project, String database) {
        this.project = project;
        this.database = database;
    }

    Entity filled(Entity entity) {
        Entity.Builder changed = null;
        for (Map.Entry<String, Value> property : entity.getPropertiesMap().entrySet()) {
            Value value = filled(property.getValue());
            if (value != property.getValue()) {
                changed = changed == null ? entity.toBuilder() : changed;
                changed.putProperties(property.getKey(), value);
            }
        }
        return changed == null ? entity : changed.build();
    }

    PropertyTransform filled(PropertyTransform transform) {
        return switch (transform.getTransformTypeCase()) {
            case APPEND_MISSING_ELEMENTS -> {
                ArrayValue array = filled(transform.getAppendMissingElements());
                yield array == transform.getAppendMissingElements()
                        ? transform
                        : transform.toBuilder().setAppendMissingElements(array).build();
            }
            case REMOVE_ALL_FROM_ARRAY -> {
                ArrayValue array = filled(transform.getRemoveAllFromArray());
                yield array == transform.getRemoveAllFromArray()
                        ? transform
                        : transform.toBuilder().setRemoveAllFromArray(array).build();
            }
            case SET_TO_SERVER_VALUE, INCREMENT, MAXIMUM, MINIMUM, TRANSFORMTYPE_NOT_SET ->
                    transform;
        };
    }

    /** Fills in the keys that a filter compares with. */
    public Filter filled(Filter filter) {
        return switch (filter.getFilterTypeCase()) {
            case COMPOSITE_FILTER -> {
                CompositeFilter composite = filter.getCompositeFilter();
                Filter.Builder changed = null;
                for (int i = 0; i < composite.getFiltersCount(); i++) {
                    Filter part = filled(composite.getFilters(i));
                    if (part != composite.getFilters(i)) {
                        changed = changed == null ? filter.toBuilder() : changed;
                        changed.getCompositeFilterBuilder().setFilters(i, part);
                    }
                }
                yield changed == null ? filter : changed.build();
            }
            case PROPERTY_FILTER -> {
                Value given = filter.getPropertyFilter().getValue();
                Value value = filled(given);
                if (value == given) {
                    yield filter;
                }
                Filter.Builder changed = filter.toBuilder();
                changed.getPropertyFilterBuilder().setValue(value);
                yield changed.build();
            }
            case FILTERTYPE_NOT_SET -> filter;
        };
    }

    private Value filled(Value value) {
        return switch (value.getValueTypeCase()) {
            case KEY_VALUE -> {
                PartitionId partition = value.getKeyValue().getPartitionId();
                if (!partition.getProjectId().isEmpty()) {
                    yield value;
                }
                Value.Builder changed = value.toBuilder();
                changed.getKeyValueBuilder()
                        .getPartitionIdBuilder()
                        .setProjectId(project)
                        .setDatabaseId(database);
                yield changed.build();
            }
            case ARRAY_VALUE -> {
                ArrayValue array = filled(value.getArrayValue());
                yield array == value.getArrayValue()
                        ? value
                        : value.toBuilder().setArrayValue(array).build();
            }
            case ENTITY_VALUE -> {
                Entity entity = filled(value.getEntityValue());
                yield entity == value.getEntityValue()
                        ? value
                        : value.toBuilder().setEntityValue(entity).build();
            }
            case NULL_VALUE,
                    BOOLEAN_VALUE,
                    INTEGER_VALUE,
                    DOUBLE_VALUE,
                    TIMESTAMP_VALUE,
                    STRING_VALUE,
                    BLOB_VALUE,
                    GEO_POINT_VALUE,
                    VALUETYPE_NOT_SET ->
                    value;
        };
    }

    private ArrayValue filled(ArrayValue array) {
        ArrayValue.Builder changed = null;
        for (int i = 0; i < array.getValuesCount(); i++) {
            Value value = filled(array.getValues(i));
            if (value != array.getValues(i)) {
                changed = changed == null ? array.toBuilder() : changed;
                changed.setValues(i, value);
            }
        }
        return changed == null ? array : changed.build();
    }
}
