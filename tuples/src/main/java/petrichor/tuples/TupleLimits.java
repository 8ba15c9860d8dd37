package petrichor.tuples;

/** Limits of tuples; a call that exceeds one fails with INVALID_ARGUMENT or returns a part. */
public final class TupleLimits {
    public static final int COLLECTIONS_MAX = 1_000;
    public static final int NAME_CHARS_MAX = 100;
    public static final int KEY_BYTES_MAX = 1_024;
    public static final int VALUE_BYTES_MAX = 1 << 20;
    public static final int TAGS_MAX = 64;
    public static final int DIMENSION_CHARS_MAX = 64;
    public static final int TAG_BYTES_MAX = 256;

    /** Tuples that one call writes or reads by key. */
    public static final int BATCH_TUPLES_MAX = 500;

    /** Keys, values and tags that one call writes. */
    public static final int BATCH_BYTES_MAX = 10 << 20;

    public static final int PAGE_TUPLES_DEFAULT = 100;
    public static final int PAGE_TUPLES_MAX = 1_000;

    /** Keys, values and tags of a page; it holds at least one tuple. */
    public static final int PAGE_BYTES_MAX = 4 << 20;

    /** Rows that one page reads; a page may be empty and have a continuation. */
    public static final int PAGE_ROWS_MAX = 10_000;

    /** Conditions of a filter. */
    public static final int CONDITIONS_MAX = 16;

    /** Intervals of the curve that one filter reads. */
    public static final int CURVE_INTERVALS_MAX = 64;

    /** Buckets of the placement random: a range of keys reads all of them. */
    public static final int BUCKETS_MAX = 256;

    public static final int GROUPS_MAX = 1 << 16;
    public static final int SEPARATOR_BYTES_MAX = 16;

    /** Assignments that one call makes. */
    public static final int ASSIGNMENTS_MAX = 1_000;

    private TupleLimits() {}
}
