package petrichor.entities;

/**
 * Consecutive ids.
 *
 * @param last one less than {@code first} if the range is empty
 */
public record IdRange(long first, long last) {
    public IdRange {
        if (first < 1 || last < first - 1) {
            throw new IllegalArgumentException("not a range: " + first + " to " + last);
        }
    }

    public boolean isEmpty() {
        return last < first;
    }
}
