package petrichor.entities;

/**
 * The documented limits of Datastore mode, and limits of this server per request. Exceeding one is
 * INVALID_ARGUMENT with a text that names it.
 */
public final class Limits {
    /** 1 MiB - 4 bytes. */
    public static final int ENTITY_BYTES_MAX = 1_048_572;

    /** 1 MiB - 89 bytes: an unindexed string or blob. */
    public static final int VALUE_BYTES_MAX = 1_048_487;

    /** An indexed string or blob. */
    public static final int INDEXED_VALUE_BYTES_MAX = 1_500;

    /** A kind, the name in a key, or a property's name. */
    public static final int NAME_BYTES_MAX = 1_500;

    /** A key, in the encoding of its path. */
    public static final int KEY_BYTES_MAX = 6 * 1024;

    public static final int PATH_ELEMENTS_MAX = 100;

    /** Depth of embedded entities. */
    public static final int NESTING_MAX = 20;

    /** Indexed values of one entity. */
    public static final int INDEXED_VALUES_MAX = 20_000;

    /** Number of entries of one entity in all composite indexes. */
    public static final int COMPOSITE_ENTRIES_MAX = 20_000;

    /** Size of all entries of one entity in all composite indexes. */
    public static final int COMPOSITE_BYTES_MAX = 2 * 1024 * 1024;

    /** All entities written by one commit. */
    public static final int COMMIT_BYTES_MAX = 10 * 1024 * 1024;

    /** Per entity and mutation; each element of an array counts. */
    public static final int TRANSFORMS_MAX = 500;

    public static final int LOOKUP_KEYS_MAX = 1_000;

    /**
     * Encoded results of one response: gRPC clients accept 4 MiB by default, and the rest of a
     * response (cursors, an explained plan, missing keys) is added to that.
     */
    public static final int RESPONSE_BYTES_MAX = 3_584 * 1024;

    /** Maximum overhead of a result around its entity: lengths, version and times. */
    public static final int RESULT_OVERHEAD_BYTES = 64;

    public static final int ALLOCATED_KEYS_MAX = 500;

    /** Composite indexes of one database, declared and automatic ones. */
    public static final int COMPOSITE_INDEXES_MAX = 1_000;

    /** Automatic indexes per database; a further one replaces the least recently used. */
    public static final int AUTOMATIC_INDEXES_MAX = 200;

    /** Properties of one composite index. */
    public static final int INDEX_COLUMNS_MAX = 100;

    /** Properties of an automatic index; an index with more must be declared. */
    public static final int AUTOMATIC_INDEX_COLUMNS_MAX = 20;

    /** Filters, orders and the ancestor of one query together. */
    public static final int QUERY_COMPONENTS_MAX = 100;

    private Limits() {}
}
