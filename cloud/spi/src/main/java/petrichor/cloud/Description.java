package petrichor.cloud;

/** What a cloud says of one machine. */
public sealed interface Description {
    record Known(Instance instance) implements Description {}

    /** There is none of this id; or it is so new that this answer does not know of it yet. */
    record Missing() implements Description {}

    /** No answer now. */
    record NotNow(String reason) implements Description {}
}
