package petrichor.services.search.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of results.
 *
 * @param found number of matching documents; exact
 * @param cursor continues after the last result; null unless requested and more results exist
 */
public record SearchResults(
        long found, List<Hit> hits, @Nullable String cursor, List<FacetCount> facets) {
    public static final SearchResults EMPTY = new SearchResults(0, List.of(), null, List.of());

    /**
     * A result.
     *
     * @param document only its id and rank if ids were requested
     * @param computed the values of the requested expressions that have one
     * @param score null without a scorer
     * @param cursor null unless requested
     */
    public record Hit(
            SearchDocument document,
            List<SearchField> computed,
            @Nullable Double score,
            @Nullable String cursor) {}

    /** A facet with its most frequent values first. */
    public record FacetCount(String name, List<FacetValueCount> values) {}

    /** A value with the refinement that restricts a search to it. */
    public record FacetValueCount(String label, int count, FacetRequest.Refinement refinement) {}
}
