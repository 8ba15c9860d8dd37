package petrichor.kv.redis;

import petrichor.base.PetrichorException;

/** What became of a request. For a write the difference between the last two is all. */
sealed interface Reply<T> {
    record Said<T>(T value) implements Reply<T> {}

    /** The server said no, or was never asked: nothing was done. */
    record Refused<T>(PetrichorException why) implements Reply<T> {}

    /** It was asked and did not answer: it may have done it, or may do it still. */
    record Unanswered<T>(PetrichorException why) implements Reply<T> {}

    default T orThrow() {
        return switch (this) {
            case Said<T>(T value) -> value;
            case Refused<T>(PetrichorException why) -> throw why;
            case Unanswered<T>(PetrichorException why) -> throw why;
        };
    }
}
