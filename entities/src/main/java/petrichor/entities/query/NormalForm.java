package petrichor.entities.query;

import com.google.datastore.v1.CompositeFilter;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;
import petrichor.entities.KeyCodec;
import petrichor.entities.SortOrder;
import petrichor.entities.ValueCodec;

/**
 * Converts a checked filter to disjunctive normal form, an OR of {@link Conjunction}s: IN becomes
 * several equalities, != two ranges, NOT IN the gaps between its values. Stateless.
 */
final class NormalForm {
    /** As in Datastore; != and NOT IN do not count. */
    static final int DISJUNCTIONS_MAX = 30;

    private NormalForm() {}

    /** Empty if nothing can match. */
    static List<Conjunction> of(Filter filter) {
        long disjunctions = disjunctions(filter);
        if (disjunctions > DISJUNCTIONS_MAX) {
            throw PetrichorException.invalid(
                    "The query needs {disjunctions} disjunctions after OR and IN are multiplied"
                            + " out, more than the "
                            + DISJUNCTIONS_MAX
                            + " allowed; use fewer values or split the query.",
                    "disjunctions",
                    disjunctions);
        }
        List<Conjunction> all = expand(filter);
        requireOneAncestor(all);
        return all.stream().flatMap(one -> split(one).stream()).distinct().toList();
    }

    private static void requireOneAncestor(List<Conjunction> all) {
        for (Conjunction conjunction : all) {
            if (!Arrays.equals(conjunction.ancestor(), all.getFirst().ancestor())) {
                throw PetrichorException.invalid(
                        "All alternatives of an OR must have the same HAS_ANCESTOR filter: combine"
                                + " it with the OR by AND, or use several queries.");
            }
        }
    }

    static long disjunctions(Filter filter) {
        return switch (filter.getFilterTypeCase()) {
            case FILTERTYPE_NOT_SET -> 1;
            case PROPERTY_FILTER -> {
                PropertyFilter property = filter.getPropertyFilter();
                yield property.getOp() == PropertyFilter.Operator.IN
                        ? property.getValue().getArrayValue().getValuesCount()
                        : 1;
            }
            case COMPOSITE_FILTER -> {
                CompositeFilter composite = filter.getCompositeFilter();
                boolean or = composite.getOp() == CompositeFilter.Operator.OR;
                long count = or ? 0 : 1;
                for (Filter part : composite.getFiltersList()) {
                    long more = disjunctions(part);
                    count = Math.min(or ? count + more : count * more, Integer.MAX_VALUE);
                }
                yield count;
            }
        };
    }

    private static List<Conjunction> expand(Filter filter) {
        return switch (filter.getFilterTypeCase()) {
            case FILTERTYPE_NOT_SET -> List.of(Conjunction.TRUE);
            case PROPERTY_FILTER -> expand(filter.getPropertyFilter());
            case COMPOSITE_FILTER -> {
                CompositeFilter composite = filter.getCompositeFilter();
                yield composite.getOp() == CompositeFilter.Operator.OR
                        ? or(composite.getFiltersList())
                        : and(composite.getFiltersList());
            }
        };
    }

    private static List<Conjunction> or(List<Filter> parts) {
        List<Conjunction> all = new ArrayList<>();
        for (Filter part : parts) {
            all.addAll(expand(part));
        }
        return all;
    }

    private static List<Conjunction> and(List<Filter> parts) {
        List<Conjunction> all = List.of(Conjunction.TRUE);
        for (Filter part : parts) {
            List<Conjunction> product = new ArrayList<>();
            for (Conjunction right : expand(part)) {
                for (Conjunction left : all) {
                    Conjunction both = left.and(right);
                    if (both != null) {
                        product.add(both);
                    }
                }
            }
            all = product;
        }
        return all;
    }

    private static List<Conjunction> expand(PropertyFilter filter) {
        String property = filter.getProperty().getName();
        boolean key = property.equals(QueryCheck.KEY);
        return switch (filter.getOp()) {
            case HAS_ANCESTOR ->
                    List.of(Conjunction.ofAncestor(KeyCodec.path(filter.getValue().getKeyValue())));
            case EQUAL -> List.of(equal(property, key, filter.getValue()));
            case IN ->
                    filter.getValue().getArrayValue().getValuesList().stream()
                            .map(value -> equal(property, key, value))
                            .toList();
            case LESS_THAN, LESS_THAN_OR_EQUAL, GREATER_THAN, GREATER_THAN_OR_EQUAL ->
                    List.of(
                            range(
                                    property,
                                    key,
                                    interval(
                                            filter.getOp(), encoded(key, filter.getValue()), key)));
            case NOT_EQUAL -> List.of(other(property, key, List.of(filter.getValue())));
            case NOT_IN ->
                    List.of(
                            other(
                                    property,
                                    key,
                                    filter.getValue().getArrayValue().getValuesList()));
            case OPERATOR_UNSPECIFIED, UNRECOGNIZED ->
                    throw PetrichorException.invalid("A property filter needs an operator.");
        };
    }

    private static Conjunction equal(String property, boolean key, Value value) {
        byte[] encoded = encoded(key, value);
        return key
                ? Conjunction.ofKeys(new Interval(encoded, Bytes.successor(encoded)))
                : Conjunction.ofEquality(property, encoded);
    }

    private static Conjunction range(String property, boolean key, Interval interval) {
        return key ? Conjunction.ofKeys(interval) : Conjunction.ofRange(property, interval);
    }

    private static byte[] encoded(boolean key, Value value) {
        if (key) {
            Key keyValue = value.getKeyValue();
            return KeyCodec.path(keyValue);
        }
        return ValueCodec.encode(value, SortOrder.ASCENDING);
    }

    /**
     * A path is a prefix of the paths of its descendants, so "after a key" is one byte after its
     * path.
     */
    private static Interval interval(PropertyFilter.Operator operator, byte[] value, boolean key) {
        return switch (operator) {
            case LESS_THAN -> Interval.below(value);
            case LESS_THAN_OR_EQUAL ->
                    key ? Interval.below(Bytes.successor(value)) : Interval.atMost(value);
            case GREATER_THAN ->
                    key ? Interval.atLeast(Bytes.successor(value)) : Interval.above(value);
            case GREATER_THAN_OR_EQUAL -> Interval.atLeast(value);
            case EQUAL, NOT_EQUAL, IN, NOT_IN, HAS_ANCESTOR, OPERATOR_UNSPECIFIED, UNRECOGNIZED ->
                    throw new IllegalArgumentException(operator + " is not a range");
        };
    }

    private static Conjunction other(String property, boolean key, List<Value> values) {
        TreeSet<Bytes> sorted = new TreeSet<>();
        for (Value value : values) {
            sorted.add(Bytes.of(encoded(key, value)));
        }
        return Conjunction.ofOthers(property, List.copyOf(sorted));
    }

    /**
     * Replaces each exclusion by the gaps between its values. Happens last, because an equality may
     * make the gaps redundant, as it does ranges.
     */
    private static List<Conjunction> split(Conjunction whole) {
        List<Conjunction> all = List.of(whole.resolved());
        for (var excluded : all.getFirst().others().entrySet()) {
            List<Conjunction> more = new ArrayList<>();
            for (Interval gap :
                    gaps(excluded.getValue(), excluded.getKey().equals(QueryCheck.KEY))) {
                for (Conjunction one : all) {
                    Conjunction within = one.within(excluded.getKey(), gap);
                    if (within != null) {
                        more.add(within);
                    }
                }
            }
            all = more;
        }
        return all;
    }

    private static List<Interval> gaps(List<Bytes> values, boolean key) {
        List<Interval> gaps = new ArrayList<>();
        Interval rest = Interval.ALL;
        for (Bytes value : values) {
            Interval before =
                    rest.and(interval(PropertyFilter.Operator.LESS_THAN, value.array(), key));
            if (!before.isEmpty()) {
                gaps.add(before);
            }
            rest = rest.and(interval(PropertyFilter.Operator.GREATER_THAN, value.array(), key));
        }
        gaps.add(rest);
        return gaps;
    }
}
