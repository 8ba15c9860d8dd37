package petrichor.testing.simulation;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Where the event loop of a process waits, inside a durable step, for its fate. */
final class ParkedStep {
    private @Nullable CompletableFuture<StepFate> fate;

    /** Called by the loop. */
    StepFate await() {
        CompletableFuture<StepFate> undecided = new CompletableFuture<>();
        fate = undecided;
        return undecided.join();
    }

    boolean waits() {
        return fate != null;
    }

    /** Called by the simulation; the loop continues when its threads run. */
    void decide(StepFate decided) {
        CompletableFuture<StepFate> waiting = fate;
        if (waiting == null) {
            throw new IllegalStateException("no step waits");
        }
        fate = null;
        waiting.complete(decided);
    }
}
