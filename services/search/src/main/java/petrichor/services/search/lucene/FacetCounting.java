package petrichor.services.search.lucene;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.services.search.model.FacetRequest;
import petrichor.services.search.model.FacetRequest.Named;
import petrichor.services.search.model.FacetRequest.Range;
import petrichor.services.search.model.FacetRequest.Refinement;
import petrichor.services.search.model.SearchFacet;
import petrichor.services.search.model.SearchLimits;
import petrichor.services.search.model.SearchResults.FacetCount;
import petrichor.services.search.model.SearchResults.FacetValueCount;
import petrichor.services.search.query.QueryLiterals;

/**
 * Counts the facets of results. Numbers that no range was requested for count as one range from the
 * smallest to the largest. Of equally frequent values, the one that occurs first in the results
 * comes first. Confined to one thread.
 */
final class FacetCounting {
    /** Further distinct values are not counted. */
    private static final int VALUES_MAX = 100_000;

    private final FacetRequest request;
    private final Map<String, Count> named = new LinkedHashMap<>();
    private final Map<String, Count> discovered = new HashMap<>();
    private int values;

    private static final class Count {
        final @Nullable Named request;
        final Map<String, ValueCount> values = new LinkedHashMap<>();
        double least = Double.POSITIVE_INFINITY;
        double most = Double.NEGATIVE_INFINITY;
        int numbers;
        long firstSeen = Long.MAX_VALUE;

        Count(@Nullable Named request) {
            this.request = request;
        }

        /** Of equally frequent values, requested ones are in the order of the request. */
        void request(String label, @Nullable Range range) {
            ValueCount value = new ValueCount(range);
            value.firstSeen = values.size() - (long) SearchLimits.FACET_VALUES_MAX;
            values.putIfAbsent(label, value);
        }

        int total() {
            return numbers + values.values().stream().mapToInt(value -> value.count).sum();
        }
    }

    private static final class ValueCount {
        final @Nullable Range range;
        int count;
        long firstSeen = Long.MAX_VALUE;

        ValueCount(@Nullable Range range) {
            this.range = range;
        }
    }

    FacetCounting(FacetRequest request) {
        this.request = request;
        for (Named facet : request.named()) {
            Count count = new Count(facet);
            facet.values().forEach(value -> count.request(value, null));
            facet.ranges().forEach(range -> count.request(label(range), range));
            named.put(facet.name(), count);
        }
    }

    private static String label(Range range) {
        String label = range.label();
        return label != null
                ? label
                : "["
                        + (range.start() == null ? "-Infinity" : FacetNumbers.text(range.start()))
                        + ","
                        + (range.end() == null ? "Infinity" : FacetNumbers.text(range.end()))
                        + ")";
    }

    /**
     * @param position of the document in the results
     */
    void add(List<SearchFacet> facets, int position) {
        long seen = (long) position << Integer.SIZE;
        for (SearchFacet facet : facets) {
            Count count = named.get(facet.name());
            if (count == null && request.discovered() > 0) {
                count = discovered.get(facet.name());
                if (count == null && values < VALUES_MAX) {
                    values++;
                    count = new Count(null);
                    discovered.put(facet.name(), count);
                }
            }
            if (count != null) {
                count.firstSeen = Math.min(count.firstSeen, seen);
                switch (facet.value()) {
                    case SearchFacet.Label(String text) -> addLabel(count, text, seen);
                    case SearchFacet.Amount(double number) -> addAmount(count, number, seen);
                }
            }
            seen++;
        }
    }

    private void addLabel(Count count, String text, long seen) {
        Named facet = count.request;
        if (facet != null && !facet.ranges().isEmpty()) {
            return;
        }
        boolean constrained = facet != null && !facet.values().isEmpty();
        ValueCount value = count.values.get(text);
        if (value == null && !constrained && values < VALUES_MAX) {
            values++;
            value = new ValueCount(null);
            count.values.put(text, value);
        }
        if (value != null) {
            add(value, seen);
        }
    }

    private static void add(ValueCount value, long seen) {
        value.count++;
        value.firstSeen = Math.min(value.firstSeen, seen);
    }

    private static void addAmount(Count count, double number, long seen) {
        Named facet = count.request;
        if (facet == null || (facet.ranges().isEmpty() && facet.values().isEmpty())) {
            count.numbers++;
            count.least = Math.min(count.least, number);
            count.most = Math.max(count.most, number);
            return;
        }
        count.values.forEach(
                (label, value) -> {
                    Range range = value.range;
                    Double constraint = range == null ? QueryLiterals.number(label) : null;
                    if (range != null
                            ? range.contains(number)
                            : constraint != null && constraint == number) {
                        add(value, seen);
                    }
                });
    }

    List<FacetCount> result() {
        List<FacetCount> result = new ArrayList<>();
        named.forEach((name, count) -> result.add(result(name, count)));
        discovered.entrySet().stream()
                .sorted(
                        Comparator.comparingInt(
                                        (Map.Entry<String, Count> entry) ->
                                                -entry.getValue().total())
                                .thenComparingLong(entry -> entry.getValue().firstSeen))
                .limit(request.discovered())
                .forEach(entry -> result.add(result(entry.getKey(), entry.getValue())));
        return result;
    }

    private FacetCount result(String name, Count count) {
        if (count.numbers > 0) {
            Range range = new Range(null, count.least, count.most);
            ValueCount numbers = new ValueCount(range);
            numbers.count = count.numbers;
            count.values.put(label(range), numbers);
        }
        int valuesMax =
                count.request == null || count.request.valuesMax() == 0
                        ? request.valuesMax()
                        : count.request.valuesMax();
        List<FacetValueCount> top =
                count.values.entrySet().stream()
                        .sorted(
                                Comparator.comparingInt(
                                                (Map.Entry<String, ValueCount> entry) ->
                                                        -entry.getValue().count)
                                        .thenComparingLong(entry -> entry.getValue().firstSeen))
                        .limit(valuesMax)
                        .map(
                                entry ->
                                        new FacetValueCount(
                                                entry.getKey(),
                                                entry.getValue().count,
                                                refinement(
                                                        name,
                                                        entry.getKey(),
                                                        entry.getValue().range)))
                        .toList();
        return new FacetCount(name, top);
    }

    private static Refinement refinement(String name, String label, @Nullable Range range) {
        return range == null
                ? new Refinement(name, label, null)
                : new Refinement(name, null, new Range(null, range.start(), range.end()));
    }
}
