package petrichor.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.testing.simulation.Attempt.Outcome;

/** Suspends the server under load with SIGSTOP and SIGCONT; the process does not notice. */
final class PausedServerTest {
    private static final int CLIENTS = 8;
    private static final int PAUSES = 3;
    private static final int COMMITS_BETWEEN = 100;

    @TempDir Path temporary;

    private final long seed = Long.getLong("seed", new Random().nextInt(1_000_000));

    /** Calls time out, and every commit of unknown outcome either took effect or did not. */
    @Test
    void pausesCauseTimeoutsAndTheHistoryStaysSerializable() {
        ListHistory history = new ListHistory();
        SplittableRandom chance = new SplittableRandom(seed);
        try (Trial trial = new Trial(temporary.resolve("data"), temporary.resolve("log"), seed);
                ScheduledExecutorService alarm = Executors.newSingleThreadScheduledExecutor()) {
            trial.start();
            List<ListClient> clients = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int number = 0; number < CLIENTS; number++) {
                ListClient client = new ListClient(trial.client(), history, alarm, chance.split());
                clients.add(client);
                threads.add(Thread.ofVirtual().start(client::runUntilOver));
            }
            for (int pause = 0; pause < PAUSES; pause++) {
                long commits = history.count(Outcome.COMMITTED) + COMMITS_BETWEEN;
                trial.await("commits", () -> history.count(Outcome.COMMITTED) >= commits);
                trial.server().pause();
                int impatient = history.failures(ErrorCode.DEADLINE_EXCEEDED) + CLIENTS;
                trial.await(
                        "impatience",
                        () -> history.failures(ErrorCode.DEADLINE_EXCEEDED) >= impatient);
                trial.server().resume();
            }
            long commits = history.count(Outcome.COMMITTED) + COMMITS_BETWEEN;
            trial.await("commits", () -> history.count(Outcome.COMMITTED) >= commits);
            history.end();
            threads.forEach(Trial::join);
            clients.getFirst().readEverything();
            assertThat(history.anomalies()).as("-Dseed=%d", seed).isEmpty();
            assertThat(history.failures())
                    .as("timeouts and lost conflicts, nothing else")
                    .containsOnlyKeys(ErrorCode.DEADLINE_EXCEEDED, ErrorCode.ABORTED);
            assertThat(history.count(Outcome.UNKNOWN)).as("unknown outcomes").isPositive();
        }
    }

    @Test
    void aServerKilledWhilePausedLosesNothing() {
        try (Trial trial = new Trial(temporary.resolve("data"), temporary.resolve("log"), seed)) {
            trial.start();
            trial.openAccounts();
            trial.startWriting();
            trial.awaitAcknowledged(100);
            trial.server().pause();
            trial.server().resume();
            trial.awaitAcknowledged(50);
            trial.server().pause();
            trial.kill();
            trial.checkIndexesOfACopy(temporary.resolve("copy"));
            trial.start();
            trial.checkThroughTheServer();
        }
    }
}
