package petrichor.tuples;

import java.util.List;
import petrichor.base.PetrichorException;

/**
 * Selects tuples by their tags: those that meet each condition of {@code all}, and at least one of
 * {@code any}, if it has any.
 */
public record TagFilter(List<TagCondition> all, List<TagCondition> any) {
    public static final TagFilter EVERYTHING = new TagFilter(List.of(), List.of());

    public TagFilter {
        all = List.copyOf(all);
        any = List.copyOf(any);
        if (all.size() + any.size() > TupleLimits.CONDITIONS_MAX) {
            throw PetrichorException.invalid(
                    "the filter has {conditions} conditions; at most {conditionsMax} are allowed.",
                    "conditions",
                    all.size() + any.size(),
                    "conditionsMax",
                    TupleLimits.CONDITIONS_MAX);
        }
    }

    boolean selectsAll() {
        return all.isEmpty() && any.isEmpty();
    }

    boolean selects(Tuple tuple) {
        return all.stream().allMatch(condition -> condition.holds(tuple))
                && (any.isEmpty() || any.stream().anyMatch(condition -> condition.holds(tuple)));
    }
}
