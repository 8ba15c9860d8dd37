package petrichor.jobs.pact;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * The author's estimates of the size of a data set. Each may be missing (null); the compiler then
 * guesses. Hints never change a result.
 *
 * @param records number of records
 * @param bytesPerRecord average length of a record
 * @param recordsPerCall average number of records emitted by a call of the user code (for a filter:
 *     its selectivity)
 * @param distinct number of distinct values of sets of fields
 */
public record Hints(
        @Nullable Double records,
        @Nullable Double bytesPerRecord,
        @Nullable Double recordsPerCall,
        Map<Set<Integer>, Double> distinct) {
    public static final Hints NONE = new Hints(null, null, null, Map.of());

    public Hints {
        notNegative("records", records);
        notNegative("bytes per record", bytesPerRecord);
        notNegative("records per call", recordsPerCall);
        distinct.values().forEach(number -> notNegative("distinct values", number));
        distinct = Map.copyOf(distinct);
    }

    public Hints withRecords(double number) {
        return new Hints(number, bytesPerRecord, recordsPerCall, distinct);
    }

    public Hints withBytesPerRecord(double bytes) {
        return new Hints(records, bytes, recordsPerCall, distinct);
    }

    public Hints withRecordsPerCall(double number) {
        return new Hints(records, bytesPerRecord, number, distinct);
    }

    public Hints withDistinct(Set<Integer> fields, double number) {
        var more = new HashMap<>(distinct);
        more.put(Set.copyOf(fields), number);
        return new Hints(records, bytesPerRecord, recordsPerCall, more);
    }

    private static void notNegative(String what, @Nullable Double number) {
        if (number != null && !(number >= 0)) {
            throw PetrichorException.invalid(
                    "the hint for {quantity} is {number}; it must be 0 or more",
                    "quantity",
                    what,
                    "number",
                    number);
        }
    }
}
