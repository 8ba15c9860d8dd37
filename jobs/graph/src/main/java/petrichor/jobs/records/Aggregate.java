package petrichor.jobs.records;

import java.io.Serializable;

/**
 * A built-in aggregate over the records of a key. Nulls are ignored, as in SQL: only {@link
 * #count()} counts them; an aggregate of only nulls is null.
 *
 * @param field the aggregated field; -1 for {@link #count()}
 */
public record Aggregate(Kind kind, int field) implements Serializable {
    public enum Kind {
        COUNT,
        SUM,
        MIN,
        MAX,
        AVERAGE
    }

    /** The number of records. INT64. */
    public static Aggregate count() {
        return new Aggregate(Kind.COUNT, -1);
    }

    /** INT64 for integers (fails on overflow), FLOAT64 for others. */
    public static Aggregate sum(int field) {
        return new Aggregate(Kind.SUM, field);
    }

    /** The minimum, of its field's type: texts and bytes by their bytes, false before true. */
    public static Aggregate min(int field) {
        return new Aggregate(Kind.MIN, field);
    }

    /** The maximum; see {@link #min}. */
    public static Aggregate max(int field) {
        return new Aggregate(Kind.MAX, field);
    }

    /** FLOAT64. */
    public static Aggregate average(int field) {
        return new Aggregate(Kind.AVERAGE, field);
    }
}
