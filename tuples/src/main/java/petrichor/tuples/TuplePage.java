package petrichor.tuples;

import java.util.List;
import java.util.Optional;

/**
 * A part of a result.
 *
 * @param version that was read, microseconds since 1970; the following pages read the same
 * @param continuation for the next page; empty at the end. A page may hold no tuples and have one.
 * @param rows that were read
 * @param access how the tuples were found, for people
 */
public record TuplePage(
        List<Tuple> tuples, long version, Optional<String> continuation, int rows, String access) {
    public TuplePage {
        tuples = List.copyOf(tuples);
    }
}
