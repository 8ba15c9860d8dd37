package petrichor.entities.query;

import com.google.datastore.v1.AggregationQuery.Aggregation;
import com.google.datastore.v1.AggregationResult;
import com.google.datastore.v1.Value;
import com.google.protobuf.NullValue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Computes count, sum and average over the results of a query. Sums include indexed numbers only
 * and are integers as long as all numbers are and the sum fits; an average of nothing is null.
 * Confined to one thread.
 */
final class AggregateResults {
    static final int AGGREGATIONS_MAX = 5;

    private final List<AggregateResult> aggregates = new ArrayList<>();

    AggregateResults(List<Aggregation> aggregations) {
        if (aggregations.isEmpty()) {
            throw PetrichorException.invalid(
                    "An aggregation query needs 1 to " + AGGREGATIONS_MAX + " aggregations.");
        }
        if (aggregations.size() > AGGREGATIONS_MAX) {
            // Google's text: clients match it.
            throw PetrichorException.invalid(
                    "The maximum number of aggregations allowed in an aggregation query is "
                            + AGGREGATIONS_MAX
                            + ". Received: {aggregationsCount}",
                    "aggregationsCount",
                    aggregations.size());
        }
        Set<String> aliases = new HashSet<>();
        int unnamed = 0;
        for (Aggregation aggregation : aggregations) {
            String alias = aggregation.getAlias();
            if (alias.isEmpty()) {
                alias = "property_" + ++unnamed;
            }
            if (!aliases.add(alias)) {
                throw PetrichorException.invalid(
                        "Two aggregations have the alias \"{alias}\".", "alias", alias);
            }
            aggregates.add(new AggregateResult(alias, aggregation));
        }
    }

    /** The aggregated properties. */
    Set<String> properties() {
        Set<String> properties = new LinkedHashSet<>();
        for (AggregateResult aggregate : aggregates) {
            String property = aggregate.property();
            if (property != null) {
                properties.add(property);
            }
        }
        return properties;
    }

    /** Whether further results cannot change anything. */
    boolean complete() {
        return aggregates.stream().allMatch(AggregateResult::complete);
    }

    /** Counts a result. */
    void count() {
        for (AggregateResult aggregate : aggregates) {
            if (aggregate.property() == null && !aggregate.complete()) {
                aggregate.count++;
            }
        }
    }

    /** Adds a value of a result; ignores values that are not numbers. */
    void add(String property, Value value) {
        for (AggregateResult aggregate : aggregates) {
            if (property.equals(aggregate.property())) {
                aggregate.add(value);
            }
        }
    }

    AggregationResult result() {
        AggregationResult.Builder result = AggregationResult.newBuilder();
        for (AggregateResult aggregate : aggregates) {
            result.putAggregateProperties(aggregate.alias, aggregate.value());
        }
        return result.build();
    }

    private static final class AggregateResult {
        private final String alias;
        private final Aggregation aggregation;
        private long count;
        private long integers;
        private boolean overflown;
        private boolean real;
        private double sum;

        AggregateResult(String alias, Aggregation aggregation) {
            this.alias = alias;
            this.aggregation = aggregation;
            switch (aggregation.getOperatorCase()) {
                case COUNT -> {
                    if (aggregation.getCount().hasUpTo()
                            && aggregation.getCount().getUpTo().getValue() <= 0) {
                        throw PetrichorException.invalid(
                                "up_to of the aggregation \"{alias}\" must be positive.",
                                "alias",
                                alias);
                    }
                }
                case SUM, AVG -> {
                    String property = property();
                    if (property == null || property.isEmpty()) {
                        throw PetrichorException.invalid(
                                "The aggregation \"{alias}\" must name a property.",
                                "alias",
                                alias);
                    }
                    if (property.equals(QueryCheck.KEY)) {
                        // Google's text: clients match it.
                        throw PetrichorException.invalid(
                                "Aggregations are not supported for the property: {property}",
                                "property",
                                property);
                    }
                }
                case OPERATOR_NOT_SET ->
                        throw PetrichorException.invalid(
                                "The aggregation \"{alias}\" must be a count, sum or avg.",
                                "alias",
                                alias);
            }
        }

        @Nullable String property() {
            return switch (aggregation.getOperatorCase()) {
                case SUM -> aggregation.getSum().getProperty().getName();
                case AVG -> aggregation.getAvg().getProperty().getName();
                case COUNT, OPERATOR_NOT_SET -> null;
            };
        }

        boolean complete() {
            return aggregation.getCount().hasUpTo()
                    && count >= aggregation.getCount().getUpTo().getValue();
        }

        void add(Value value) {
            if (value.hasIntegerValue()) {
                count++;
                long number = value.getIntegerValue();
                long more = integers + number;
                overflown |= ((integers ^ more) & (number ^ more)) < 0;
                integers = more;
                sum += number;
            } else if (value.hasDoubleValue()) {
                count++;
                real = true;
                sum += value.getDoubleValue();
            }
        }

        Value value() {
            Value.Builder value = Value.newBuilder();
            return switch (aggregation.getOperatorCase()) {
                case COUNT -> value.setIntegerValue(count).build();
                case SUM ->
                        real || overflown
                                ? value.setDoubleValue(sum).build()
                                : value.setIntegerValue(integers).build();
                case AVG ->
                        count == 0
                                ? value.setNullValue(NullValue.NULL_VALUE).build()
                                : value.setDoubleValue(sum / count).build();
                case OPERATOR_NOT_SET -> throw new IllegalStateException("refused before");
            };
        }
    }
}
