package petrichor.services.search.model;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * A search in one index.
 *
 * @param query in App Engine's query language; empty for all documents
 * @param sort the first key decides first; empty for descending ranks, or descending scores if
 *     there is a scorer
 */
public record SearchRequest(
        String query,
        Page page,
        Scorer scorer,
        List<SortKey> sort,
        Projection projection,
        FacetRequest facets) {
    /** How documents are scored. */
    public enum Scorer {
        /** Not at all: every score is 0. */
        NONE,
        /** By the frequency of the terms in the document and in the index. */
        MATCH,
        /** Like {@link #MATCH}, but each field that contains a term counts by itself. */
        RESCORING_MATCH
    }

    /** Which cursors are returned. */
    public enum Cursors {
        NONE,
        SINGLE,
        PER_RESULT
    }

    /**
     * @param cursor continues after the result from which it comes; null to start with the first
     */
    public record Page(int limit, int offset, @Nullable String cursor, Cursors cursors) {
        public Page {
            requireWithin("limit of results", limit, SearchLimits.RESULTS_MAX);
            requireWithin("offset", offset, SearchLimits.OFFSET_MAX);
            if (cursor != null && cursor.length() > SearchLimits.CURSOR_CHARS_MAX) {
                throw PetrichorException.invalid("The cursor is not one of this service.");
            }
        }

        public static Page first(int limit) {
            return new Page(limit, 0, null, Cursors.NONE);
        }
    }

    /**
     * @param defaultText for documents without a textual value; a date for date fields
     * @param defaultNumber for documents without a number
     */
    public record SortKey(
            String expression,
            boolean descending,
            @Nullable String defaultText,
            @Nullable Double defaultNumber) {}

    /**
     * The parts of the documents that are returned.
     *
     * @param fields empty for all
     */
    public record Projection(
            boolean idsOnly, List<String> fields, List<NamedExpression> expressions) {
        public static final Projection EVERYTHING = new Projection(false, List.of(), List.of());

        public Projection {
            fields = List.copyOf(fields);
            expressions = List.copyOf(expressions);
            requireWithin(
                    "number of returned fields and expressions",
                    fields.size() + expressions.size(),
                    SearchLimits.RETURNED_FIELDS_MAX);
        }
    }

    public record NamedExpression(String name, String expression) {}

    public SearchRequest {
        if (query.length() > SearchLimits.QUERY_CHARS_MAX) {
            throw PetrichorException.invalid(
                    "The query has {chars} characters; at most {charsMax} are allowed.",
                    "chars",
                    query.length(),
                    "charsMax",
                    SearchLimits.QUERY_CHARS_MAX);
        }
        sort = List.copyOf(sort);
        requireWithin("number of sort keys", sort.size(), SearchLimits.SORT_KEYS_MAX);
    }

    /** The first results in the default order. */
    public static SearchRequest of(String query) {
        return new SearchRequest(
                query,
                Page.first(20),
                Scorer.NONE,
                List.of(),
                Projection.EVERYTHING,
                FacetRequest.NONE);
    }

    static void requireWithin(String what, int value, int max) {
        if (value < 0 || value > max) {
            throw PetrichorException.invalid(
                    "The {what} is {value}; it must be from 0 to {max}.",
                    "what",
                    what,
                    "value",
                    value,
                    "max",
                    max);
        }
    }
}
