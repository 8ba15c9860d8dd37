package petrichor.services.search.query;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.services.search.model.FieldValue;

/** A condition on documents: the meaning of a query. */
public sealed interface Condition {
    /** Every document. */
    record Everything() implements Condition {}

    /**
     * @param sequence values that follow each other without an operator: together they may also be
     *     one atom
     */
    record And(List<Condition> conditions, boolean sequence) implements Condition {
        public And {
            conditions = List.copyOf(conditions);
        }
    }

    record Or(List<Condition> conditions) implements Condition {
        public Or {
            conditions = List.copyOf(conditions);
        }
    }

    record Not(Condition condition) implements Condition {}

    /**
     * A field has a value.
     *
     * @param field null for any field
     */
    record Has(@Nullable String field, Value value) implements Condition {}

    /** A number or date is in a range that ends or starts at the value. */
    record Compare(String field, Comparison comparison, String value) implements Condition {}

    /** A point of the field is nearer, or all are farther, than a number of meters. */
    record Distance(String field, FieldValue.GeoPoint from, boolean nearer, double meters)
            implements Condition {}

    enum Comparison {
        LESS,
        AT_MOST,
        GREATER,
        AT_LEAST
    }

    /** A value as written in a query. */
    sealed interface Value {
        String text();
    }

    /** Words of which each must occur. */
    record Term(String text) implements Value {}

    /** Words of which each, or a word with the same stem, must occur. */
    record Stem(String text) implements Value {}

    /** Words in this order. */
    record Phrase(String text) implements Value {}
}
