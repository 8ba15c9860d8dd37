package petrichor.testing.simulation;

import java.util.List;
import java.util.SortedMap;

/**
 * One transaction as its client saw it. Values are lists to which transactions append unique
 * elements, so that a read shows which transactions wrote it and in which order. Reads are of the
 * state before the transaction: they do not contain its own appends.
 *
 * @param id names it in findings; unique within a history
 * @param invoked when its client began it, on a clock that all clients share
 * @param completed when its client knew the outcome, on the same clock
 */
public record Attempt(
        int id, long invoked, long completed, Outcome outcome, List<Operation> operations) {

    /** The outcome as the client knows it. */
    public enum Outcome {
        COMMITTED,
        ABORTED,
        /** The client got no response; it counts as committed if any read saw its writes. */
        UNKNOWN
    }

    /** One step of a transaction. */
    public sealed interface Operation {}

    /** Puts an element, unique in the whole history, at the end of the list under a key. */
    public record Append(String key, long element) implements Operation {}

    /** Saw this list under a key; empty if there was none. */
    public record Read(String key, List<Long> elements) implements Operation {
        public Read {
            elements = List.copyOf(elements);
        }
    }

    /** Saw these lists, and no others, at {@code from <= key < to}. */
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
