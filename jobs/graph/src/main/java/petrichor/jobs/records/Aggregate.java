package petrichor.jobs.records;

import java.io.Serializable;

/**
 * A ready-made figure over the records of a key. Nulls are passed over, as in SQL: only {@link
 * #count()} counts them; a figure over nothing but nulls is null.
 *
 * @param field the field it is taken over; -1 for {@link #count()}
 */
public record Aggregate(Kind kind, int field) implements Serializable {
    public enum Kind {
        COUNT,
        SUM,
        MIN,
        MAX,
        AVERAGE
    }

    /** How many records there are. INT64. */
    public static Aggregate count() {
        return new Aggregate(Kind.COUNT, -1);
    }

    /** INT64 of whole numbers (fails when it does not fit), FLOAT64 of others. */
    public static Aggregate sum(int field) {
        return new Aggregate(Kind.SUM, field);
    }

    /**
     * The smallest value, of its field's type: texts and bytes by their bytes, false before true.
     */
    public static Aggregate min(int field) {
        return new Aggregate(Kind.MIN, field);
    }

    /** The largest value; see {@link #min}. */
    public static Aggregate max(int field) {
        return new Aggregate(Kind.MAX, field);
    }

    /** FLOAT64. */
    public static Aggregate average(int field) {
        return new Aggregate(Kind.AVERAGE, field);
    }
}
