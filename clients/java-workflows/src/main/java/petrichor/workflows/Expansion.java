package petrichor.workflows;

import com.google.cloud.datastore.Key;
import com.google.gson.JsonElement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * The children of a step, and its result, which refers to their outputs.
 *
 * @param result as JSON
 */
record Expansion(List<StepEntity> children, String result) {
    private static final int DEPTH_MAX = 50;

    /** A commit has at most 10 MiB. */
    private static final int ARGUMENTS_CHARACTERS_MAX = 8 << 20;

    static Expansion of(StepEntity step, List<Call> calls, Object output, Function<String, Key> keys) {
        if (step.id().chars().filter(c -> c == '-').count() >= DEPTH_MAX) {
            throw new Abort("steps are nested more than " + DEPTH_MAX + " deep");
        }
        Map<String, List<String>> waiters = new LinkedHashMap<>();
        for (int number = 0; number < calls.size(); number++) {
            waiters.put(step.id() + "-" + number, new ArrayList<>());
        }
        List<String> ids = List.copyOf(waiters.keySet());
        Object result = output == null ? new Future(ids.get(ids.size() - 1), List.of()) : output;
        require(Values.references(Values.encode(result)), waiters.keySet());
        List<Set<String>> needed = new ArrayList<>();
        for (int number = 0; number < calls.size(); number++) {
            Set<String> steps = needed(calls.get(number));
            require(steps, waiters.keySet());
            needed.add(steps);
            for (String other : steps) {
                waiters.get(other).add(ids.get(number));
            }
        }
        List<StepEntity> children = new ArrayList<>(calls.size());
        long characters = 0;
        for (int number = 0; number < calls.size(); number++) {
            String id = ids.get(number);
            StepEntity child =
                    StepEntity.of(
                            keys.apply(id),
                            new StepEntity.Start(
                                    step.workflow(),
                                    calls.get(number),
                                    Optional.of(step.id()),
                                    needed.get(number).size(),
                                    waiters.get(id)));
            characters += child.arguments().length();
            children.add(child);
        }
        if (characters > ARGUMENTS_CHARACTERS_MAX) {
            throw new Abort("the arguments of its children have more than 8 MiB: pass keys of entities");
        }
        return new Expansion(children, Values.text(result));
    }

    private static Set<String> needed(Call call) {
        JsonElement arguments = Values.encode(call.arguments());
        Set<String> steps = new TreeSet<>(Values.references(arguments));
        call.after().forEach(future -> steps.add(future.step()));
        return steps;
    }

    private static void require(Set<String> needed, Set<String> own) {
        if (!own.containsAll(needed)) {
            throw new Abort("a future belongs to another step: pass it as an argument, and use its value");
        }
    }
}
