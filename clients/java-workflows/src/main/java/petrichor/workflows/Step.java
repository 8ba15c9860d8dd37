package petrichor.workflows;

import com.google.cloud.datastore.Datastore;
import com.google.gson.JsonElement;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One turn of a step, for its pipeline. Belongs to the thread that runs it. */
public final class Step {
    static final int CHILDREN_MAX = 1_000;

    private final String id;
    private final List<JsonElement> arguments;
    private final Optional<JsonElement> progress;
    private final Datastore datastore;
    private final List<Call> children = new ArrayList<>();

    Step(String id, List<JsonElement> arguments, Optional<JsonElement> progress, Datastore datastore) {
        this.id = id;
        this.arguments = arguments;
        this.progress = progress;
        this.datastore = datastore;
    }

    /** The id of this step, which is the same in all turns and attempts. */
    public String id() {
        return id;
    }

    public Datastore datastore() {
        return datastore;
    }

    /** An argument, as a value of this type; futures have been replaced by outputs. */
    public <T> T argument(int index, Type type) {
        return Values.decode(arguments.get(index), type);
    }

    public <T> T argument(int index, Class<T> type) {
        return argument(index, (Type) type);
    }

    /** What the previous turn has stored by {@link Outcome#proceed}; empty in the first turn. */
    public <T> Optional<T> progress(Class<T> type) {
        return progress.map(stored -> Values.<T>decode(stored, type));
    }

    /**
     * Adds a child. Children start in parallel after this turn, each as soon as the outputs that it
     * needs are known. The step ends when all of them have ended; its output is that of the last
     * child, unless {@code run} returns one.
     */
    public Future child(Call call) {
        if (children.size() == CHILDREN_MAX) {
            throw new Abort(
                    "a step has at most "
                            + CHILDREN_MAX
                            + " children: divide them among further pipelines");
        }
        children.add(call);
        return new Future(id + "-" + (children.size() - 1), List.of());
    }

    public Future child(Class<? extends Pipeline> pipeline, Object... arguments) {
        return child(Call.of(pipeline, arguments));
    }

    List<Call> children() {
        return children;
    }
}
