package petrichor.entities.query;

import com.google.datastore.v1.Filter;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Projection;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.Value;
import java.util.HashSet;
import java.util.Set;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.Limits;
import petrichor.entities.UserValues;

/** Refuses queries that Datastore refuses. Stateless. */
final class QueryCheck {
    /** The property that denotes an entity's own key. */
    static final String KEY = "__key__";

    static final int NOT_IN_VALUES_MAX = 10;
    static final int FILTER_DEPTH_MAX = 100;

    private final Query query;
    private final String project;
    private final String namespace;

    private int components;
    private int ors;
    private int ins;
    private int notIns;
    private int notEquals;

    private QueryCheck(Query query, String project, String namespace) {
        this.query = query;
        this.project = project;
        this.namespace = namespace;
    }

    static void check(Query query, String project, String namespace) {
        new QueryCheck(query, project, namespace).check();
    }

    private void check() {
        if (query.hasFindNearest()) {
            throw PetrichorException.of(
                    ErrorCode.UNIMPLEMENTED,
                    "find_nearest (vector search) is not supported by this server.");
        }
        if (query.getKindCount() > 1) {
            throw PetrichorException.invalid("A query can name at most one kind.");
        }
        if (query.getKindCount() == 1 && query.getKind(0).getName().isEmpty()) {
            throw PetrichorException.invalid("The kind of a query must not be empty.");
        }
        if (query.getOffset() < 0) {
            throw PetrichorException.invalid("The offset of a query must not be negative.");
        }
        if (query.hasLimit() && query.getLimit().getValue() < 0) {
            throw PetrichorException.invalid("The limit of a query must not be negative.");
        }
        if (query.hasFilter()) {
            check(query.getFilter(), 0);
            combinations();
        }
        for (PropertyOrder order : query.getOrderList()) {
            named(order.getProperty(), "An order");
            requireKeyAscending(order);
        }
        requireFew();
        projections();
        distinct();
    }

    private void requireKeyAscending(PropertyOrder order) {
        boolean ascendingKey =
                order.getProperty().getName().equals(KEY)
                        && order.getDirection() != PropertyOrder.Direction.DESCENDING;
        if (query.getKindCount() == 0 && !ascendingKey) {
            throw PetrichorException.invalid(
                    "kind is required for all orders except __key__ ascending");
        }
    }

    private void requireFew() {
        if (components + query.getOrderCount() > Limits.QUERY_COMPONENTS_MAX) {
            throw PetrichorException.invalid(
                    "query is too large. may not have more than "
                            + Limits.QUERY_COMPONENTS_MAX
                            + " filters + sort orders ancestor total");
        }
    }

    private void requireKind(String property, String what) {
        if (query.getKindCount() == 0 && !property.equals(KEY)) {
            throw PetrichorException.invalid(
                    "kind is required for non-__key__ {clause}s", "clause", what);
        }
    }

    private static void named(PropertyReference property, String what) {
        if (property.getName().isEmpty()) {
            throw PetrichorException.invalid("{clause} must name a property.", "clause", what);
        }
    }

    private void check(Filter filter, int depth) {
        if (depth > FILTER_DEPTH_MAX) {
            throw PetrichorException.invalid(
                    "Filters are nested more than " + FILTER_DEPTH_MAX + " deep.");
        }
        switch (filter.getFilterTypeCase()) {
            case COMPOSITE_FILTER -> {
                if (filter.getCompositeFilter().getFiltersCount() == 0) {
                    throw PetrichorException.invalid(
                            "A composite filter must have at least one sub-filter.");
                }
                switch (filter.getCompositeFilter().getOp()) {
                    case AND -> {}
                    case OR -> ors++;
                    case OPERATOR_UNSPECIFIED, UNRECOGNIZED ->
                            throw PetrichorException.invalid(
                                    "A composite filter must have the operator AND or OR.");
                }
                for (Filter part : filter.getCompositeFilter().getFiltersList()) {
                    check(part, depth + 1);
                }
            }
            case PROPERTY_FILTER -> check(filter.getPropertyFilter());
            case FILTERTYPE_NOT_SET -> {
                if (depth > 0) {
                    throw PetrichorException.invalid("A sub-filter is empty.");
                }
            }
        }
    }

    /** Documented restrictions on operators that must not be combined in one query. */
    private void combinations() {
        if (notEquals > 1) {
            throw PetrichorException.invalid(
                    "A query can have only one NOT_EQUAL filter; use NOT_IN for several values of"
                            + " one property.");
        }
        if (notIns > 0 && ors + ins + notEquals + notIns > 1) {
            throw PetrichorException.invalid(
                    "A query with a NOT_IN filter can't have an OR, or another IN, NOT_IN or"
                            + " NOT_EQUAL filter.");
        }
    }

    private void count(PropertyFilter.Operator operator) {
        components++;
        switch (operator) {
            case IN -> ins++;
            case NOT_IN -> notIns++;
            case NOT_EQUAL -> notEquals++;
            case EQUAL,
                    LESS_THAN,
                    LESS_THAN_OR_EQUAL,
                    GREATER_THAN,
                    GREATER_THAN_OR_EQUAL,
                    HAS_ANCESTOR,
                    OPERATOR_UNSPECIFIED,
                    UNRECOGNIZED -> {}
        }
    }

    private void check(PropertyFilter filter) {
        count(filter.getOp());
        named(filter.getProperty(), "A filter");
        String property = filter.getProperty().getName();
        requireKind(property, "filter");
        Value value = filter.getValue();
        switch (filter.getOp()) {
            case HAS_ANCESTOR -> {
                if (!property.equals(KEY)) {
                    throw PetrichorException.invalid(
                            "The operator HAS_ANCESTOR is only for the property __key__, not for"
                                    + " \"{property}\".",
                            "property",
                            property);
                }
                key(value);
            }
            case IN, NOT_IN -> {
                if (!value.hasArrayValue() || value.getArrayValue().getValuesCount() == 0) {
                    throw PetrichorException.invalid(
                            "The operator {op} on \"{property}\" needs an array with at least one"
                                    + " value.",
                            "op",
                            filter.getOp(),
                            "property",
                            property);
                }
                if (filter.getOp() == PropertyFilter.Operator.NOT_IN
                        && value.getArrayValue().getValuesCount() > NOT_IN_VALUES_MAX) {
                    throw PetrichorException.invalid(
                            "The operator NOT_IN on \"{property}\" takes at most "
                                    + NOT_IN_VALUES_MAX
                                    + " values.",
                            "property",
                            property);
                }
                for (Value element : value.getArrayValue().getValuesList()) {
                    operand(property, element);
                }
            }
            case EQUAL,
                    NOT_EQUAL,
                    LESS_THAN,
                    LESS_THAN_OR_EQUAL,
                    GREATER_THAN,
                    GREATER_THAN_OR_EQUAL ->
                    operand(property, value);
            case OPERATOR_UNSPECIFIED, UNRECOGNIZED ->
                    throw PetrichorException.invalid(
                            "The filter on \"{property}\" needs a known operator.",
                            "property",
                            property);
        }
    }

    private void operand(String property, Value value) {
        switch (value.getValueTypeCase()) {
            case ENTITY_VALUE -> {
                if (!UserValues.isUser(value) || property.equals(KEY)) {
                    throw notOneValue(property);
                }
            }
            case ARRAY_VALUE -> throw notOneValue(property);
            case VALUETYPE_NOT_SET ->
                    throw PetrichorException.invalid(
                            "The filter on \"{property}\" has no value.", "property", property);
            case NULL_VALUE,
                    BOOLEAN_VALUE,
                    INTEGER_VALUE,
                    DOUBLE_VALUE,
                    TIMESTAMP_VALUE,
                    KEY_VALUE,
                    STRING_VALUE,
                    BLOB_VALUE,
                    GEO_POINT_VALUE -> {
                if (property.equals(KEY)) {
                    key(value);
                }
            }
        }
    }

    private static PetrichorException notOneValue(String property) {
        return PetrichorException.invalid(
                "The filter on \"{property}\" compares with an array or an embedded entity; name"
                        + " one value, or an embedded property as \"{property}.name\".",
                "property",
                property);
    }

    private void key(Value value) {
        if (!value.hasKeyValue()) {
            throw PetrichorException.invalid("A filter on __key__ must compare with a key.");
        }
        Key key = value.getKeyValue();
        if (key.getPathCount() == 0) {
            throw PetrichorException.invalid("The key of a filter on __key__ has no path.");
        }
        for (Key.PathElement element : key.getPathList()) {
            if (element.getIdTypeCase() == Key.PathElement.IdTypeCase.IDTYPE_NOT_SET
                    || element.getKind().isEmpty()) {
                throw PetrichorException.invalid(
                        "The key of a filter on __key__ must be complete: every element needs a"
                                + " kind and an id or a name.");
            }
        }
        String keyProject = key.getPartitionId().getProjectId();
        if (!keyProject.isEmpty() && !keyProject.equals(project)) {
            throw PetrichorException.invalid(
                    "The key of a filter on __key__ is of project \"{keyProject}\", the query of"
                            + " \"{project}\".",
                    "keyProject",
                    keyProject,
                    "project",
                    project);
        }
        if (!key.getPartitionId().getNamespaceId().equals(namespace)) {
            throw PetrichorException.invalid(
                    "__key__ filter namespace is \"{namespaceId}\" but query namespace is"
                            + " \"{namespace}\"",
                    "namespaceId",
                    key.getPartitionId().getNamespaceId(),
                    "namespace",
                    namespace);
        }
    }

    private void projections() {
        Set<String> seen = new HashSet<>();
        for (Projection projection : query.getProjectionList()) {
            named(projection.getProperty(), "A projection");
            String property = projection.getProperty().getName();
            requireKind(property, "projection");
            if (!seen.add(property)) {
                throw PetrichorException.invalid(
                        "cannot specify property \"{property}\" more than once in projection",
                        "property",
                        property);
            }
        }
        seen.remove(KEY);
        if (!seen.isEmpty()) {
            refuseEquality(query.getFilter(), seen);
        }
    }

    private static void refuseEquality(Filter filter, Set<String> projected) {
        for (Filter part : filter.getCompositeFilter().getFiltersList()) {
            refuseEquality(part, projected);
        }
        PropertyFilter.Operator op = filter.getPropertyFilter().getOp();
        String property = filter.getPropertyFilter().getProperty().getName();
        if ((op == PropertyFilter.Operator.EQUAL || op == PropertyFilter.Operator.IN)
                && projected.contains(property)) {
            throw PetrichorException.invalid(
                    "cannot use projection on a property with an equality filter: \"{property}\"",
                    "property",
                    property);
        }
    }

    private void distinct() {
        Set<String> distinct = new HashSet<>();
        for (PropertyReference property : query.getDistinctOnList()) {
            named(property, "distinct_on");
            requireKind(property.getName(), "distinct_on");
            distinct.add(property.getName());
        }
        int missing = distinct.size();
        for (PropertyOrder order : query.getOrderList()) {
            if (missing == 0) {
                break;
            }
            if (!distinct.contains(order.getProperty().getName())) {
                throw PetrichorException.invalid(
                        "the properties of distinct_on must come before all others in the order;"
                                + " \"{property}\" comes too early",
                        "property",
                        order.getProperty().getName());
            }
            missing--;
        }
    }
}
