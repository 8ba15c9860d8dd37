package petrichor.cloud;

/** The cloud's answer about one machine. */
public sealed interface Description {
    record Known(Instance instance) implements Description {}

    /** No such machine exists, or it is so new that the answer does not include it yet. */
    record Missing() implements Description {}

    /** The cloud did not answer. */
    record NotNow(String reason) implements Description {}
}
