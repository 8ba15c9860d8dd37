package petrichor.kv.redis;

import petrichor.base.PetrichorException;

/** Outcome of a request. Writes must distinguish a refusal from an unknown outcome. */
sealed interface Reply<T> {
    record ProcessOutput<T>(T value) implements Reply<T> {}

    /** The server refused it, or never received it: nothing was done. */
    record Refused<T>(PetrichorException why) implements Reply<T> {}

    /** The server received it and did not respond: it may have executed it, or may still do so. */
    record Unanswered<T>(PetrichorException why) implements Reply<T> {}

    default T orThrow() {
        return switch (this) {
            case ProcessOutput<T>(T value) -> value;
            case Refused<T>(PetrichorException why) -> throw why;
            case Unanswered<T>(PetrichorException why) -> throw why;
        };
    }
}
