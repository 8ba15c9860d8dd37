package petrichor.tables;

/**
 * What CREATE SEQUENCE defines.
 *
 * @param start the first number
 * @param increment not 0
 * @param min the smallest number
 * @param max the largest number
 * @param cycle whether it starts again at the other limit
 */
public record SequenceOptions(long start, long increment, long min, long max, boolean cycle) {
    static final SequenceOptions ROW_NUMBERS = new SequenceOptions(1, 1, 1, Long.MAX_VALUE, false);

    public SequenceOptions {
        if (increment == 0 || min > max || start < min || start > max) {
            throw new IllegalArgumentException("the sequence has no numbers");
        }
    }

    /** How many numbers follow from {@code first} on within the limits, at most {@code most}. */
    int count(long first, int most) {
        int count = 1;
        long number = first;
        while (count < most) {
            boolean fits = increment > 0 ? number <= max - increment : number >= min - increment;
            if (!fits) {
                break;
            }
            number += increment;
            count++;
        }
        return count;
    }
}
