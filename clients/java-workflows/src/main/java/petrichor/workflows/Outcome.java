package petrichor.workflows;

import com.google.cloud.datastore.FullEntity;
import java.time.Duration;
import java.util.List;

/** What a turn of a pipeline returns. The entities are stored in the transaction that stores the rest of it. */
public sealed interface Outcome {
    List<? extends FullEntity<?>> entities();

    /** The output of the step: a value for {@link Values}, which may contain futures of the step's children. */
    static Outcome output(Object output, FullEntity<?>... entities) {
        return new Finish(output, List.of(entities));
    }

    /** Asks for another turn, in another task, with this progress. */
    static Outcome proceed(Object progress, FullEntity<?>... entities) {
        return new Continue(progress, List.of(entities), Duration.ZERO);
    }

    record Finish(Object output, List<? extends FullEntity<?>> entities) implements Outcome {}

    record Continue(Object progress, List<? extends FullEntity<?>> entities, Duration after)
            implements Outcome {}
}
