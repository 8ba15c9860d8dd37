package petrichor.entities;

/**
 * The documented limits of Datastore mode, and those of one request to us. Exceeding one is
 * INVALID_ARGUMENT with a text that names it.
 */
public final class Limits {
    /** 1 MiB - 4 bytes. */
    public static final int ENTITY_BYTES_MAX = 1_048_572;

    /** 1 MiB - 89 bytes: a string or blob that is not indexed. */
    public static final int VALUE_BYTES_MAX = 1_048_487;

    /** A string or blob that is indexed. */
    public static final int INDEXED_VALUE_BYTES_MAX = 1_500;

    /** A kind, the name in a key, or a property's name. */
    public static final int NAME_BYTES_MAX = 1_500;

    /** A key, as we encode its path. */
    public static final int KEY_BYTES_MAX = 6 * 1024;

    public static final int PATH_ELEMENTS_MAX = 100;

    /** Entities in entities. */
    public static final int NESTING_MAX = 20;

    /** Indexed values of one entity. */
    public static final int INDEXED_VALUES_MAX = 20_000;

    /** Entries of one entity in all composite indexes. */
    public static final int COMPOSITE_ENTRIES_MAX = 20_000;

    /** All entries of one entity in all composite indexes. */
    public static final int COMPOSITE_BYTES_MAX = 2 * 1024 * 1024;

    /** All entities that one commit writes. */
    public static final int COMMIT_BYTES_MAX = 10 * 1024 * 1024;

    /** Of one entity in one mutation; the elements of an array count one by one. */
    public static final int TRANSFORMS_MAX = 500;

    public static final int LOOKUP_KEYS_MAX = 1_000;

    /**
     * Results of one response, encoded: clients of gRPC take 4 MiB by default, and the rest of a
     * response (cursors, an explained plan, missing keys) comes on top.
     */
    public static final int RESPONSE_BYTES_MAX = 3_584 * 1024;

    /** What a result has around its entity, at most: lengths, version and times. */
    public static final int RESULT_OVERHEAD_BYTES = 64;

    public static final int ALLOCATED_KEYS_MAX = 500;

    /** Composite indexes of one database, declared and automatic ones. */
    public static final int COMPOSITE_INDEXES_MAX = 1_000;

    /** Of these, indexes that queries made; a further one replaces the least recently used. */
    public static final int AUTOMATIC_INDEXES_MAX = 200;

    /** Properties of one composite index. */
    public static final int INDEX_COLUMNS_MAX = 100;

    /** Properties of an index that a query makes; with more it has to be declared. */
    public static final int AUTOMATIC_INDEX_COLUMNS_MAX = 20;

    /** Filters, orders and the ancestor of one query together. */
    public static final int QUERY_COMPONENTS_MAX = 100;

    private Limits() {}
}
