package petrichor.workflows;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import java.util.ArrayList;
import java.util.List;

/** Runs a {@link Machine}. The output is the last context. */
public final class RunMachine implements Pipeline {
    private static final int TRANSITIONS_MAX = 100_000;

    /** Where a context is. */
    record Place(String state, JsonElement context, int transitions, boolean joined) {}

    public static Call of(Class<? extends Machine> machine, Object context) {
        return Call.of(RunMachine.class, machine, "", context, false);
    }

    @Override
    public Outcome run(Step step) throws Exception {
        Machine machine = Instances.of(step.argument(0, Class.class), Machine.class);
        Place place = step.progress(Place.class).orElseGet(() -> first(step, machine));
        Machine.State state = machine.states().get(place.state());
        if (state == null) {
            throw new Abort("the machine has no state " + place.state());
        }
        if (state.division() != null && !place.joined()) {
            divide(step, machine, state, place);
            return null;
        }
        return moved(state, place);
    }

    private static Place first(Step step, Machine machine) {
        String state = step.argument(1, String.class);
        JsonElement context = step.argument(2, JsonElement.class);
        return new Place(
                state.isEmpty() ? machine.first() : state,
                context == null ? JsonNull.INSTANCE : context,
                0,
                step.argument(3, Boolean.class));
    }

    private static void divide(Step step, Machine machine, Machine.State state, Place place) throws Exception {
        List<Future> parts = new ArrayList<>();
        for (Object context : state.division().divide(place.context())) {
            parts.add(step.child(RunMachine.class, machine.getClass(), state.part(), context, false));
        }
        step.child(RunMachine.class, machine.getClass(), place.state(), parts, true);
    }

    private static Outcome moved(Machine.State state, Place place) throws Exception {
        Machine.Transition transition = state.action().act(place.context());
        if (transition.event() == null) {
            return Outcome.output(transition.context());
        }
        String next = state.events().get(transition.event());
        if (next == null) {
            throw new Abort("the state " + place.state() + " has no event " + transition.event());
        }
        if (place.transitions() == TRANSITIONS_MAX) {
            throw new Abort("a context has made " + TRANSITIONS_MAX + " transitions");
        }
        return Outcome.proceed(
                new Place(next, Values.encode(transition.context()), place.transitions() + 1, false));
    }
}
