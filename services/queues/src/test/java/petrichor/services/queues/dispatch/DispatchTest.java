package petrichor.services.queues.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.queues.DispatchRate;
import petrichor.services.queues.NewTask;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueStatistics;
import petrichor.services.queues.RetryPolicy;
import petrichor.services.queues.SimulatedClock;
import petrichor.services.queues.Task;
import petrichor.services.queues.TaskMethod;
import petrichor.services.queues.TaskWork;

@ParameterizedClass
@EnumSource(Transport.class)
class DispatchTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SimulatedClock clock = new SimulatedClock();
    private final Random chance = new Random(1);
    private final MemoryStore store = MemoryStore.open();
    private final SimulatedApp app = new SimulatedApp(clock, chance, Duration.ofMillis(10));
    private final SimulatedTransport transport;
    private SimulatedServer server;

    DispatchTest(Transport kind) {
        this.transport = new SimulatedTransport(kind, clock, chance);
    }

    @BeforeEach
    void start() {
        server = server();
    }

    private SimulatedServer server() {
        return new SimulatedServer(store, clock, chance, DispatchLimits.DEFAULT, app, transport);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static NewTask task() {
        return NewTask.of(new TaskWork.Push(TaskMethod.POST, "/job", List.of(), new byte[1]));
    }

    private void define(Queue queue) {
        server.queues().define(List.of(queue));
    }

    private static Queue queue(double rate, int bucket, int concurrent) {
        return Queue.push("q").withRate(new DispatchRate(rate, bucket, concurrent));
    }

    private void add(int count) {
        List<NewTask> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tasks.add(task());
        }
        server.queues().add("q", tasks);
    }

    private static RetryPolicy retries(int max) {
        return new RetryPolicy(
                OptionalInt.of(max), Optional.empty(), SECOND, Duration.ofSeconds(100), 16);
    }

    @Test
    void overdueTasksRunAtTheRateOfTheirQueueAfterDowntime() {
        define(queue(10, 5, 100));
        add(100);
        server.close();
        clock.crash();
        clock.advance(Duration.ofHours(1));
        app.arrivals.clear();
        server = server();
        server.dispatchers.look();
        clock.advance(SECOND);
        assertThat(app.arrivals).hasSizeBetween(9, 11);
        clock.advance(SECOND.multipliedBy(2));
        assertThat(app.arrivals).hasSizeBetween(29, 31);
        clock.advance(SECOND.multipliedBy(8));
        assertThat(app.arrivals).hasSize(100);
    }

    @Test
    void aBucketAllowsABurstAfterAPause() {
        define(queue(10, 5, 100));
        clock.advance(SECOND.multipliedBy(10));
        add(20);
        clock.advance(Duration.ofMillis(20));
        assertThat(app.arrivals).hasSize(5);
    }

    @Test
    void tasksThatWaitAreTheBacklogOfTheirTarget() {
        define(queue(100, 5, 2));
        NewTask forWorker =
                NewTask.of(
                        new TaskWork.Push(
                                TaskMethod.POST, "/job", List.of(), new byte[1], "worker"));
        server.queues().add("q", Collections.nCopies(30, forWorker));
        clock.advance(Duration.ofMillis(25));
        int waiting = server.dispatchers.backlog(SimulatedServer.PROJECT).getOrDefault("worker", 0);
        assertThat(waiting).isBetween(20, 29);
        clock.advance(SECOND.multipliedBy(10));
        assertThat(server.dispatchers.backlog(SimulatedServer.PROJECT)).containsEntry("worker", 0);
    }

    @Test
    void aBacklogIsNoMoreThanTheRateLetsStart() {
        define(queue(0.1, 1, 100));
        add(50);
        clock.advance(Duration.ofMillis(25));
        assertThat(server.dispatchers.backlog(SimulatedServer.PROJECT)).containsEntry("", 6);
    }

    @Test
    void tasksOfTheFutureAndOfPausedQueuesAreNoBacklog() {
        server.queues().add("default", List.of(task().at(clock.epochMicros() + 60_000_000)));
        clock.advance(SECOND);
        assertThat(server.dispatchers.backlog(SimulatedServer.PROJECT)).containsEntry("", 0);
        define(queue(0.1, 1, 100).withPaused(true));
        add(50);
        clock.advance(SECOND);
        assertThat(server.dispatchers.backlog(SimulatedServer.PROJECT)).containsEntry("", 0);
    }

    @Test
    void aTaskWaitsForItsEta() {
        server.queues().add("default", List.of(task().at(clock.epochMicros() + 60_000_000)));
        clock.advance(Duration.ofMillis(59_999));
        assertThat(app.arrivals).isEmpty();
        clock.advance(Duration.ofMillis(2));
        assertThat(app.arrivals).hasSize(1);
    }

    @Test
    void retriesFollowThePolicyAndTellTheAppAboutThem() {
        define(queue(100, 5, 100).withRetry(retries(3)));
        app.failures = 100;
        server.queues().add("q", List.of(task().named("a")));
        clock.advance(Duration.ofMinutes(5));
        List<SimulatedApp.Arrival> arrivals = app.arrivals("a");
        assertThat(arrivals).hasSize(4);
        for (int retry = 0; retry < 4; retry++) {
            Task task = arrivals.get(retry).delivery().task();
            assertThat(task.state().attempts().retries()).isEqualTo(retry);
            if (retry > 0) {
                long micros = arrivals.get(retry).micros() - arrivals.get(retry - 1).micros();
                int seconds = 1 << (retry - 1);
                assertThat(micros / 1e6).isBetween(1.0 * seconds, 1.1 * seconds);
            }
        }
        assertThat(server.queues().dropped()).isEqualTo(1);
        assertThat(server.queues().task("q", "a")).isEmpty();
    }

    @Test
    void anExhaustedTaskMovesToTheDeadLetters() {
        server.queues().define(List.of(Queue.push("letters").withPaused(true)));
        define(
                queue(100, 5, 100)
                        .withRetry(retries(0))
                        .withRouting(new Queue.Routing("", "letters")));
        app.failures = 100;
        server.queues().add("q", List.of(task().named("a")));
        clock.advance(SECOND);
        assertThat(server.queues().task("q", "a")).isEmpty();
        assertThat(server.queues().task("letters", "a")).isPresent();
        assertThat(server.queues().deadLetters()).isEqualTo(1);
        app.failures = 0;
        server.queues().resume("letters");
        clock.advance(SECOND);
        assertThat(server.queues().task("letters", "a")).isEmpty();
        assertThat(app.arrivals("a")).hasSize(2);
    }

    @Test
    void theConcurrencyOfAQueueIsBounded() {
        define(queue(1_000, 1_000, 3));
        clock.advance(SECOND);
        app.lost = 100;
        add(10);
        clock.advance(Duration.ofMinutes(1));
        assertThat(app.arrivals).hasSize(3);
        assertThat(server.dispatchers.statistics("demo", "q").dispatch().inFlight()).isEqualTo(3);
    }

    @Test
    void aTaskThatIsAddedAfterAPauseDoesNotRun() {
        define(queue(100, 5, 100));
        clock.advance(SECOND);
        server.dispatchers.look();
        long later = clock.epochMicros() + 3_600_000_000L;
        // Wakes the queue, whose next turn begins after the pause.
        server.queues().add("q", List.of(task().at(later)));
        server.queues().pause("q");
        add(1);
        clock.advance(SECOND);
        assertThat(app.arrivals).isEmpty();
        server.queues().resume("q");
        clock.advance(SECOND);
        assertThat(app.arrivals).hasSize(1);
    }

    @Test
    void aPauseDuringATurnKeepsTheTasksThatAreAddedAfterIt() {
        server.duringTurn =
                () -> {
                    server.duringTurn = () -> {};
                    server.queues().pause("q");
                    add(1);
                };
        define(queue(100, 5, 100));
        clock.advance(SECOND);
        assertThat(server.queues().queue("q").orElseThrow().paused()).isTrue();
        assertThat(app.arrivals).isEmpty();
    }

    @Test
    void aPausedQueueKeepsItsTasks() {
        define(queue(100, 5, 100));
        server.queues().pause("q");
        clock.advance(SECOND);
        add(3);
        clock.advance(Duration.ofMinutes(5));
        assertThat(app.arrivals).isEmpty();
        QueueStatistics statistics = server.dispatchers.statistics("demo", "q");
        assertThat(statistics.tasks()).isEqualTo(3);
        assertThat(statistics.dispatch().enforcedRate()).isZero();
        server.queues().resume("q");
        clock.advance(SECOND);
        assertThat(app.arrivals).hasSize(3);
        statistics = server.dispatchers.statistics("demo", "q");
        assertThat(statistics.tasks()).isZero();
        assertThat(statistics.dispatch().executedLastMinute()).isEqualTo(3);
        clock.advance(Duration.ofMinutes(1));
        assertThat(server.dispatchers.statistics("demo", "q").dispatch())
                .isEqualTo(new QueueStatistics.Dispatch(0, 3, 0, 100));
    }

    @Test
    void aTaskRunsNowOnRequest() {
        define(queue(100, 5, 100));
        server.queues().pause("q");
        clock.advance(SECOND);
        server.queues()
                .add("q", List.of(task().named("a").at(clock.epochMicros() + 3_600_000_000L)));
        assertThat(server.dispatchers.runNow("demo", "q", "b")).isFalse();
        assertThat(server.dispatchers.runNow("demo", "q", "a")).isTrue();
        clock.advance(SECOND);
        assertThat(app.arrivals).containsOnlyKeys("a");
        assertThat(server.queues().task("q", "a")).isEmpty();
    }

    @Test
    void aTaskThatMovedToALaterEtaDoesNotRunAtItsFormerOne() {
        define(
                queue(100, 5, 100)
                        .withRetry(
                                new RetryPolicy(
                                        OptionalInt.of(3),
                                        Optional.empty(),
                                        SECOND.multipliedBy(100),
                                        SECOND.multipliedBy(100),
                                        0)));
        clock.advance(SECOND);
        server.queues().add("q", List.of(task().named("a").at(clock.epochMicros() + 5_000_000)));
        app.failures = 100;
        assertThat(server.dispatchers.runNow("demo", "q", "a")).isTrue();
        clock.advance(SECOND.multipliedBy(90));
        assertThat(app.arrivals("a")).hasSize(1);
        clock.advance(SECOND.multipliedBy(30));
        assertThat(app.arrivals("a")).hasSize(2);
    }

    @Test
    void aTaskThatIsDeletedWhileItWaitsDoesNotRun() {
        define(queue(100, 5, 100));
        clock.advance(SECOND);
        server.queues().add("q", List.of(task().named("a").at(clock.epochMicros() + 1_000_000)));
        clock.advance(Duration.ofMillis(500));
        server.queues().deleteTasks("q", List.of("a"));
        clock.advance(SECOND.multipliedBy(5));
        assertThat(app.arrivals).isEmpty();
    }

    @Test
    void aLostHintOnlyDelaysATask() {
        define(queue(100, 5, 100));
        clock.advance(SECOND);
        var batch = server.queues().prepare("q", List.of(task()));
        try (var snapshot = server.database().snapshot()) {
            var _ =
                    server.database()
                            .commit(
                                    new petrichor.transactions.CommitRequest(
                                            snapshot.version(),
                                            List.of(),
                                            List.of(),
                                            List.of(),
                                            batch.rows()))
                            .join();
        }
        clock.advance(SECOND);
        assertThat(app.arrivals).isEmpty();
        clock.advance(DispatchLimits.DEFAULT.rescanPeriod().plusSeconds(5));
        assertThat(app.arrivals).hasSize(1);
    }

    @Test
    void tasksForOtherServersDoNotWaitForTheApp() {
        define(queue(100, 100, 100));
        app.ready = false;
        add(DispatchLimits.DEFAULT.windowTasks());
        add(1);
        TaskWork elsewhere =
                new TaskWork.Push(TaskMethod.GET, "https://example.com/", List.of(), new byte[0]);
        clock.advance(SECOND);
        server.queues().add("q", List.of(NewTask.of(elsewhere).named("elsewhere")));
        clock.advance(SECOND.multipliedBy(5));
        assertThat(app.arrivals).containsOnlyKeys("elsewhere");
        app.ready = true;
        clock.advance(Duration.ofMinutes(1));
        assertThat(app.arrivals).hasSize(DispatchLimits.DEFAULT.windowTasks() + 2);
    }
}
