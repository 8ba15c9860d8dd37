package petrichor.testing.simulation;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Parks the event loop of a process within a durable step, until its fate is decided. */
final class ParkedStep {
    private @Nullable CompletableFuture<StepFate> fate;

    /** Called by the event loop. */
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
            throw new IllegalStateException("no step is waiting");
        }
        fate = null;
        waiting.complete(decided);
    }
}
