package petrichor.services.search.model;

/** Fixed limits of the service: those of App Engine, unless a comment says otherwise. */
public final class SearchLimits {
    public static final int DOCUMENT_BYTES_MAX = 1 << 20;
    public static final int DOCUMENTS_PER_CALL_MAX = 200;
    public static final int DOCUMENT_ID_CHARS_MAX = 500;
    public static final int FIELD_NAME_CHARS_MAX = 500;
    public static final int TEXT_BYTES_MAX = 1 << 20;
    public static final int ATOM_BYTES_MAX = 500;
    public static final int PREFIX_BYTES_MAX = 500;
    public static final int VECTOR_COMPONENTS_MAX = 10_000;

    /** Numbers are between the negative of this and this. */
    public static final double NUMBER_MAX = 2_147_483_647;

    /** Ours: App Engine documents no limit on the fields of a document. */
    public static final int FIELDS_MAX = 1_000;

    public static final int QUERY_CHARS_MAX = 2_000;
    public static final int EXPRESSION_CHARS_MAX = 5_000;

    /** Ours: depth of parentheses in queries and expressions. */
    public static final int NESTING_MAX = 64;

    /** Ours: conditions of a query, after expansion to the fields of the index. */
    public static final int CONDITIONS_MAX = 4_096;

    public static final int RESULTS_MAX = 1_000;
    public static final int OFFSET_MAX = 1_000;
    public static final int CURSOR_CHARS_MAX = 10_000;
    public static final int RETURNED_FIELDS_MAX = 1_000;

    /** Ours: App Engine documents no limit. */
    public static final int SORT_KEYS_MAX = 32;

    public static final int FACETS_MAX = 100;
    public static final int FACET_VALUES_MAX = 100;
    public static final int FACET_DEPTH_MAX = 10_000;
    public static final int INDEXES_LISTED_MAX = 1_000;

    /** The largest response that App Engine sends. */
    public static final int RESPONSE_BYTES_MAX = 32 << 20;

    private SearchLimits() {}
}
