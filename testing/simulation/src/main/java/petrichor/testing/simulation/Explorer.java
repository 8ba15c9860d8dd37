package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Explicit-state model checker: visits all reachable states in breadth-first order, so that the
 * first violation has a shortest trace. Needs memory for all states; the caller limits their
 * number.
 */
public final class Explorer {
    /**
     * A model of a system. States are values; equal states are visited once.
     *
     * @param <S> a state
     */
    public interface Model<S> {
        S initial();

        /** All possible next steps. */
        List<Step<S>> steps(S state);

        /** Describes the violated invariant of a state; null if there is none. */
        @Nullable String violation(S state);
    }

    /** A named transition to another state. */
    public record Step<S>(String name, S to) {}

    /**
     * The result.
     *
     * @param states number of visited states
     * @param violation null if there is none
     * @param trace steps that lead to the violation; empty if there is none
     */
    public record Report(int states, @Nullable String violation, List<String> trace) {
        @Override
        public String toString() {
            if (violation == null) {
                return states + " states, all well";
            }
            StringBuilder text = new StringBuilder(violation);
            for (int at = 0; at < trace.size(); at++) {
                text.append("\n  ").append(at + 1).append(". ").append(trace.get(at));
            }
            return text.toString();
        }
    }

    private record Visit(int parent, String step) {}

    private Explorer() {}

    /** Throws if there are more states, because an incomplete exploration proves nothing. */
    public static <S> Report explore(Model<S> model, int statesMax) {
        Map<S, Integer> known = new HashMap<>();
        List<S> states = new ArrayList<>();
        List<Visit> visits = new ArrayList<>();
        S first = model.initial();
        known.put(first, 0);
        states.add(first);
        visits.add(new Visit(-1, ""));
        for (int at = 0; at < states.size(); at++) {
            S state = states.get(at);
            String violation = model.violation(state);
            if (violation != null) {
                return new Report(states.size(), violation, trace(visits, at));
            }
            for (Step<S> step : model.steps(state)) {
                if (known.putIfAbsent(step.to, states.size()) == null) {
                    states.add(step.to);
                    visits.add(new Visit(at, step.name));
                }
            }
            if (states.size() > statesMax) {
                throw new IllegalStateException("the model has more than " + statesMax + " states");
            }
        }
        return new Report(states.size(), null, List.of());
    }

    private static List<String> trace(List<Visit> visits, int end) {
        List<String> trace = new ArrayList<>();
        for (Visit visit = visits.get(end); visit.parent >= 0; visit = visits.get(visit.parent)) {
            trace.addFirst(visit.step);
        }
        return trace;
    }
}
