package petrichor.jobs.pact.compiler;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import petrichor.jobs.records.Key;

/**
 * How the records of a data set are distributed over the subtasks that emit them: a global
 * property.
 */
sealed interface Distribution {

    /** Arbitrary. */
    record Random() implements Distribution {}

    /** By the hash of these fields, in this order. */
    record Hashed(List<Integer> fields) implements Distribution {}

    /** By ranges of this key; subtask i's keys precede those of i+1. */
    record Ranged(List<Key.Part> parts) implements Distribution {}

    /** All in one subtask. */
    record Single() implements Distribution {}

    static Distribution random() {
        return new Random();
    }

    /** Whether records that agree in these fields are certain to be in the same subtask. */
    default boolean gathers(Set<Integer> key) {
        return switch (this) {
            case Random() -> false;
            case Hashed(var fields) -> key.containsAll(fields);
            case Ranged(var parts) -> parts.stream().allMatch(part -> key.contains(part.field()));
            case Single() -> true;
        };
    }

    /** The property after fields change their positions or are lost. */
    default Distribution moved(Function<List<Integer>, Optional<List<Integer>>> places) {
        return switch (this) {
            case Random() -> this;
            case Single() -> this;
            case Hashed(var fields) ->
                    places.apply(fields).<Distribution>map(Hashed::new).orElse(random());
            case Ranged(var parts) ->
                    places.apply(parts.stream().map(Key.Part::field).toList())
                            .<Distribution>map(fields -> new Ranged(LocalOrder.at(parts, fields)))
                            .orElse(random());
        };
    }
}
