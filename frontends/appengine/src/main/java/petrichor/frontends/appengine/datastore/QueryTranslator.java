package petrichor.frontends.appengine.datastore;

import com.google.apphosting.datastore.proto2api.DatastoreV3Pb;
import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.CompositeFilter;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.Value;
import com.google.protobuf.NullValue;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Reference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import petrichor.entities.Validation;

/**
 * Translates queries to v1. The restrictions of the old API that v1 has dropped are not checked:
 * queries in transactions need no ancestor, and inequalities may concern several properties. For
 * one query; confined to one thread.
 */
final class QueryTranslator {
    private static final String KEY = "__key__";

    /** The smallest of all values. */
    private static final Value SMALLEST =
            Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build();

    /** A query of the entity layer may have 30, some of which the app itself may need. */
    private static final int DISJUNCTIONS_MAX = 16;

    private final AppId app;
    private final EntityTranslator entities;
    private int disjunctions = 1;

    QueryTranslator(AppId app) {
        this.app = app;
        this.entities = new EntityTranslator(app);
    }

    /** Without cursors, offset and limit. */
    Query.Builder toV1(DatastoreV3Pb.Query given) {
        check(given);
        Query.Builder query = Query.newBuilder();
        if (given.hasKind()) {
            query.addKindBuilder().setName(given.getKind());
        }
        List<Filter> filters = new ArrayList<>();
        if (given.hasAncestor()) {
            filters.add(filter(KEY, PropertyFilter.Operator.HAS_ANCESTOR, ancestor(given)));
        }
        given.getFilterList().forEach(filter -> filters.add(toV1(filter)));
        if (filters.size() == 1) {
            query.setFilter(filters.getFirst());
        } else if (!filters.isEmpty()) {
            query.getFilterBuilder()
                    .setCompositeFilter(
                            CompositeFilter.newBuilder()
                                    .setOp(CompositeFilter.Operator.AND)
                                    .addAllFilters(filters));
        }
        order(given, query);
        project(given, query);
        return query;
    }

    private static void order(DatastoreV3Pb.Query given, Query.Builder query) {
        // An order by a property of which all results have the same value has no effect.
        Set<String> constants = new HashSet<>();
        for (DatastoreV3Pb.Query.Filter filter : given.getFilterList()) {
            if (filter.getOp() == DatastoreV3Pb.Query.Filter.Operator.EQUAL) {
                constants.add(filter.getProperty(0).getName());
            }
        }
        for (DatastoreV3Pb.Query.Order order : given.getOrderList()) {
            if (constants.contains(order.getProperty())) {
                continue;
            }
            PropertyOrder.Builder added = query.addOrderBuilder();
            added.getPropertyBuilder().setName(order.getProperty());
            added.setDirection(
                    order.getDirection() == DatastoreV3Pb.Query.Order.Direction.DESCENDING
                            ? PropertyOrder.Direction.DESCENDING
                            : PropertyOrder.Direction.ASCENDING);
        }
    }

    private static void project(DatastoreV3Pb.Query given, Query.Builder query) {
        Collection<String> projected =
                given.getKeysOnly()
                        ? List.of(KEY)
                        // Where the query leaves the order open, these order it.
                        : given.getPropertyNameList().stream().sorted().toList();
        for (String property : projected) {
            query.addProjectionBuilder().getPropertyBuilder().setName(property);
        }
        boolean distinct = given.getDistinct() && given.getGroupByPropertyNameCount() == 0;
        for (String property :
                distinct ? given.getPropertyNameList() : given.getGroupByPropertyNameList()) {
            query.addDistinctOnBuilder().setName(property);
        }
    }

    private void check(DatastoreV3Pb.Query query) {
        KeyTranslator.requireDefaultDatabase(query.getDatabaseId());
        V3Error.check(
                query.getPropertyNameCount() == 0 || !query.getKeysOnly(),
                "projection and keys_only cannot both be set");
        Set<String> seen = new HashSet<>();
        for (String property : query.getPropertyNameList()) {
            V3Error.check(
                    !Validation.reserved(property),
                    "projections are not supported for the property: " + property);
            V3Error.check(seen.add(property), "cannot project a property multiple times");
        }
        V3Error.check(query.getSearchQuery().isEmpty(), "search_query is not supported");
        V3Error.check(!query.getShallow(), "shallow queries are not supported");
        V3Error.check(query.getOffset() >= 0, "Offset must be >= 0");
        V3Error.check(query.getLimit() >= 0, "Limit must be >= 0");
        V3Error.check(query.getCount() >= 0, "Count must be >= 0");
    }

    private Value ancestor(DatastoreV3Pb.Query query) {
        Reference ancestor = query.getAncestor();
        V3Error.check(
                app.projectOf(ancestor.getApp()).equals(app.project()),
                "query app is " + app.text() + " but ancestor app is " + ancestor.getApp());
        V3Error.check(
                ancestor.getNameSpace().equals(query.getNameSpace()),
                "query namespace is "
                        + query.getNameSpace()
                        + " but ancestor namespace is "
                        + ancestor.getNameSpace());
        return Value.newBuilder().setKeyValue(entities.keys().ownComplete(ancestor)).build();
    }

    private Filter toV1(DatastoreV3Pb.Query.Filter filter) {
        boolean several = filter.getOp() == DatastoreV3Pb.Query.Filter.Operator.IN;
        V3Error.check(
                filter.getPropertyCount() == 1 || (several && filter.getPropertyCount() > 0),
                "Filter has " + filter.getPropertyCount() + " properties, expected 1");
        Property property = filter.getProperty(0);
        String name = property.getName();
        return switch (filter.getOp()) {
            case LESS_THAN -> filter(name, PropertyFilter.Operator.LESS_THAN, low(property));
            case LESS_THAN_OR_EQUAL ->
                    filter(name, PropertyFilter.Operator.LESS_THAN_OR_EQUAL, high(property));
            case GREATER_THAN -> filter(name, PropertyFilter.Operator.GREATER_THAN, high(property));
            case GREATER_THAN_OR_EQUAL ->
                    filter(name, PropertyFilter.Operator.GREATER_THAN_OR_EQUAL, low(property));
            case NOT_EQUAL ->
                    filter(name, PropertyFilter.Operator.NOT_EQUAL, equal(property).getFirst());
            case EQUAL, IN -> oneOf(name, filter.getPropertyList());
            // Every indexed value is at least the smallest one.
            case EXISTS -> filter(name, PropertyFilter.Operator.GREATER_THAN_OR_EQUAL, SMALLEST);
            case CONTAINED_IN_REGION ->
                    throw V3Error.badRequest("geo-spatial filters are not supported");
        };
    }

    private Value low(Property property) {
        requireKey(property);
        return entities.properties().low(property);
    }

    private Value high(Property property) {
        requireKey(property);
        return entities.properties().high(property);
    }

    private List<Value> equal(Property property) {
        requireKey(property);
        return entities.properties().equal(property);
    }

    private static void requireKey(Property property) {
        V3Error.check(
                !property.getName().equals(KEY) || property.getValue().hasReferenceValue(),
                KEY + " filter value must be a Key");
    }

    /** Of values that may be text or bytes, the text counts if there would be too many. */
    private Filter oneOf(String name, List<Property> given) {
        List<Value> all = given.stream().flatMap(property -> equal(property).stream()).toList();
        if (all.size() > given.size() && disjunctions * all.size() > DISJUNCTIONS_MAX) {
            all = given.stream().map(property -> equal(property).getFirst()).toList();
        }
        disjunctions *= all.size();
        return all.size() == 1
                ? filter(name, PropertyFilter.Operator.EQUAL, all.getFirst())
                : filter(
                        name,
                        PropertyFilter.Operator.IN,
                        Value.newBuilder()
                                .setArrayValue(ArrayValue.newBuilder().addAllValues(all))
                                .build());
    }

    private static Filter filter(String property, PropertyFilter.Operator operator, Value value) {
        PropertyFilter.Builder filter = PropertyFilter.newBuilder().setOp(operator).setValue(value);
        filter.getPropertyBuilder().setName(property);
        return Filter.newBuilder().setPropertyFilter(filter).build();
    }
}
