package petrichor.workflows;

import com.google.gson.JsonElement;
import java.util.List;
import java.util.Map;

/**
 * A finite-state machine, after Fantasm: contexts move from state to state by events. A public class with a public
 * constructor without parameters. {@link RunMachine} runs it; each transition is stored.
 */
public interface Machine {
    /** The name of the first state. */
    String first();

    /** The states by their names. */
    Map<String, State> states();

    /** Takes the action of a state. */
    @FunctionalInterface
    interface Action {
        Transition act(JsonElement context) throws Exception;
    }

    /** The contexts of the parts of a state. */
    @FunctionalInterface
    interface Division {
        List<?> divide(JsonElement context) throws Exception;
    }

    /**
     * An event and the context of the next state; the machine ends with the context if there is no event.
     *
     * @param event null at the end
     */
    record Transition(String event, Object context) {
        public static Transition end(Object context) {
            return new Transition(null, context);
        }
    }

    /**
     * A state. With a division, a copy of the machine starts in the state {@code part} for each of
     * its contexts, and the action is taken when all have ended: its context is then the list of
     * their last contexts.
     *
     * @param events the next state for each event
     * @param division null for none
     */
    record State(Action action, Map<String, String> events, Division division, String part) {
        public static State of(Action action, Map<String, String> events) {
            return new State(action, events, null, "");
        }

        public State divided(Division contexts, String into) {
            return new State(action, events, contexts, into);
        }
    }
}
