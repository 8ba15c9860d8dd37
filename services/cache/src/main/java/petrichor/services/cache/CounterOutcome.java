package petrichor.services.cache;

/** The result of a step of a counter. */
public sealed interface CounterOutcome {
    /**
     * @param value unsigned
     */
    record Counted(long value) implements CounterOutcome {}

    /** The counter does not exist, and the step has no initial value. */
    record Missing() implements CounterOutcome {}

    /** The value of the item is not an unsigned decimal number of 64 bits. */
    record NotNumber() implements CounterOutcome {}

    /** No memory is free for a new counter. */
    record NoMemory() implements CounterOutcome {}
}
