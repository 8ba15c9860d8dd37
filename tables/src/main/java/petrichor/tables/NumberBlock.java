package petrichor.tables;

/** Numbers of a sequence: the first, and those that follow with the sequence's increment. */
public record NumberBlock(long first, int count) {
    public NumberBlock {
        if (count < 1) {
            throw new IllegalArgumentException("a block has at least one number");
        }
    }
}
