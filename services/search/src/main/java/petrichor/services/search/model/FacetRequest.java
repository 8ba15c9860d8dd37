package petrichor.services.search.model;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * The facets that a search counts, and the refinements that restrict its results.
 *
 * @param discovered number of most frequent facets to find; 0 for none
 * @param valuesMax of each facet
 * @param depth number of first results whose facets count
 */
public record FacetRequest(
        int discovered, int valuesMax, int depth, List<Named> named, List<Refinement> refinements) {
    public static final FacetRequest NONE = new FacetRequest(0, 10, 1_000, List.of(), List.of());

    /**
     * A facet by name.
     *
     * @param valuesMax 0 for the default of the request
     * @param values exactly these values; excludes ranges
     */
    public record Named(String name, int valuesMax, List<String> values, List<Range> ranges) {
        public Named {
            values = List.copyOf(values);
            ranges = List.copyOf(ranges);
            if (!values.isEmpty() && !ranges.isEmpty()) {
                throw PetrichorException.invalid(
                        "The facet {facet} is requested with values and with ranges; use either.",
                        "facet",
                        name);
            }
            if (values.stream().anyMatch(String::isEmpty)) {
                throw PetrichorException.invalid(
                        "A requested value of the facet {facet} is empty.", "facet", name);
            }
            SearchRequest.requireWithin(
                    "number of values of a facet", valuesMax, SearchLimits.FACET_VALUES_MAX);
            SearchRequest.requireWithin(
                    "number of requested values of a facet",
                    values.size() + ranges.size(),
                    SearchLimits.FACET_VALUES_MAX);
        }
    }

    /**
     * Numbers from {@code start} (inclusive) to {@code end} (exclusive); null is unbounded.
     *
     * @param label null for one that shows the bounds
     */
    public record Range(@Nullable String label, @Nullable Double start, @Nullable Double end) {
        public boolean contains(double number) {
            return (start == null || number >= start) && (end == null || number < end);
        }
    }

    /** Results have this facet; those of one name are alternatives. Either a value or a range. */
    public record Refinement(String name, @Nullable String value, @Nullable Range range) {
        public Refinement {
            if ((value == null || value.isEmpty()) && range == null) {
                throw PetrichorException.invalid(
                        "The refinement of the facet {facet} has neither a value nor a range.",
                        "facet",
                        name);
            }
            if (value != null && !value.isEmpty() && range != null) {
                throw PetrichorException.invalid(
                        "The refinement of the facet {facet} has a value and a range; use either.",
                        "facet",
                        name);
            }
        }
    }

    public FacetRequest {
        named = List.copyOf(named);
        refinements = List.copyOf(refinements);
        SearchRequest.requireWithin("number of facets", discovered, SearchLimits.FACETS_MAX);
        SearchRequest.requireWithin("number of facets", named.size(), SearchLimits.FACETS_MAX);
        SearchRequest.requireWithin(
                "number of refinements", refinements.size(), SearchLimits.FACET_VALUES_MAX);
        SearchRequest.requireWithin(
                "number of values of a facet", valuesMax, SearchLimits.FACET_VALUES_MAX);
        SearchRequest.requireWithin("depth of facets", depth, SearchLimits.FACET_DEPTH_MAX);
    }

    /** Whether results are counted by facets. */
    public boolean counted() {
        return discovered > 0 || !named.isEmpty();
    }
}
