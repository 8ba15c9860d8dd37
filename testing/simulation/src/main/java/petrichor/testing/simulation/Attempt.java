package petrichor.testing.simulation;

import java.util.List;
import java.util.SortedMap;

/**
 * One transaction as observed by its client. Values are lists to which transactions append unique
 * elements, so that a read reveals which transactions wrote it, and in which order. Reads return
 * the state before the transaction, without its own appends.
 *
 * @param id name in findings; unique within a history
 * @param invoked start, on a clock shared by all clients
 * @param completed when the client learned the outcome, on the same clock
 */
public record Attempt(
        int id, long invoked, long completed, Outcome outcome, List<Operation> operations) {

    /** The outcome as known to the client. */
    public enum Outcome {
        COMMITTED,
        ABORTED,
        /** No response; committed if any read saw its writes. */
        UNKNOWN
    }

    /** One operation of a transaction. */
    public sealed interface Operation {}

    /** Appends an element, unique in the whole history, to the list under a key. */
    public record Append(String key, long element) implements Operation {}

    /** Read this list under a key; empty if there was none. */
    public record Read(String key, List<Long> elements) implements Operation {
        public Read {
            elements = List.copyOf(elements);
        }
    }

    /** Read exactly these lists in {@code from <= key < to}. */
    public record Scan(String from, String to, SortedMap<String, List<Long>> lists)
            implements Operation {
        boolean covers(String key) {
            return from.compareTo(key) <= 0 && key.compareTo(to) < 0;
        }
    }

    public Attempt {
        operations = List.copyOf(operations);
        if (completed < invoked) {
            throw new IllegalArgumentException("attempt " + id + " ended before it began");
        }
    }
}
