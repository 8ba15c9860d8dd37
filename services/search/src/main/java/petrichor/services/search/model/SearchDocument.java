package petrichor.services.search.model;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A document of an index.
 *
 * @param id unique in its index; empty if the service shall choose one
 * @param language such as {@code en}; selects the stemmer of its texts
 * @param rank results without another order have descending ranks
 */
public record SearchDocument(
        String id, String language, int rank, List<SearchField> fields, List<SearchFacet> facets) {
    public static final String DEFAULT_LANGUAGE = "en";

    public SearchDocument {
        fields = List.copyOf(fields);
        facets = List.copyOf(facets);
    }

    /** The first field of this name with one of these types, or null. */
    public @Nullable SearchField first(String name, Predicate<SearchFieldType> types) {
        for (SearchField field : fields) {
            if (field.name().equals(name) && types.test(field.value().type())) {
                return field;
            }
        }
        return null;
    }

    public String language(SearchField field) {
        return field.language().isEmpty() ? language : field.language();
    }

    public SearchDocument withId(String other) {
        return new SearchDocument(other, language, rank, fields, facets);
    }
}
