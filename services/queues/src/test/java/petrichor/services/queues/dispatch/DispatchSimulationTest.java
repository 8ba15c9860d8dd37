package petrichor.services.queues.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.queues.AddResult;
import petrichor.services.queues.DispatchRate;
import petrichor.services.queues.NewTask;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueRows.Due;
import petrichor.services.queues.QueueStatistics;
import petrichor.services.queues.RetryPolicy;
import petrichor.services.queues.SimulatedClock;
import petrichor.services.queues.TaskBatch;
import petrichor.services.queues.TaskMethod;
import petrichor.services.queues.TaskWork;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Snapshot;

/**
 * Random enqueues, failures and changes of the owner, replayed from a seed: no task is lost, none
 * runs early or before its transaction commits, and the rate and concurrency of the queue hold.
 */
class DispatchSimulationTest {
    private static final int STEPS = 300;
    private static final double RATE = 20;
    private static final int BUCKET = 4;
    private static final int CONCURRENT = 6;
    private static final Duration BACKOFF = Duration.ofMillis(500);
    private static final DispatchLimits LIMITS =
            new DispatchLimits(4, 8, 5, 3, Duration.ofSeconds(2), Duration.ofSeconds(20));

    static LongStream seeds() {
        Long given = Long.getLong("seed");
        return given == null ? LongStream.rangeClosed(1, 60) : LongStream.of(given);
    }

    static LongStream moreSeeds() {
        return LongStream.rangeClosed(1_000, 4_000);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noTaskIsLostOrEarly(long seed) {
        new Run(seed, Transport.DIRECT).all();
    }

    static LongStream seedsThroughRabbitMq() {
        Long given = Long.getLong("seed");
        return given == null ? LongStream.rangeClosed(1, 4) : LongStream.of(given);
    }

    /** The order of events of one instant depends on RabbitMQ, so a seed does not repeat it. */
    @ParameterizedTest
    @MethodSource("seedsThroughRabbitMq")
    void noTaskIsLostOrEarlyThroughRabbitMq(long seed) {
        new Run(seed, Transport.RABBITMQ).all();
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("moreSeeds")
    void noTaskIsLostOrEarlyWithManySeeds(long seed) {
        new Run(seed, Transport.DIRECT).all();
    }

    private static final class Run {
        private final Random chance;
        private final SimulatedClock clock = new SimulatedClock();
        private final MemoryStore store = MemoryStore.open();
        private final SimulatedApp app;
        private final SimulatedTransport transport;
        private SimulatedServer server;

        /** Earliest time of each task that was added. */
        private final Map<String, Long> added = new HashMap<>();

        private final Set<String> names = new HashSet<>();
        private final Set<String> deleted = new HashSet<>();

        Run(long seed, Transport kind) {
            this.chance = new Random(seed);
            this.app = new SimulatedApp(clock, chance, Duration.ofMillis(400));
            this.app.failures = chance.nextInt(50);
            this.app.lost = chance.nextInt(4);
            this.transport = new SimulatedTransport(kind, clock, chance);
            this.server = new SimulatedServer(store, clock, chance, LIMITS, app, transport);
            server.queues()
                    .define(
                            List.of(
                                    Queue.push("q")
                                            .withRate(new DispatchRate(RATE, BUCKET, CONCURRENT))
                                            .withRetry(
                                                    new RetryPolicy(
                                                            OptionalInt.empty(),
                                                            Optional.empty(),
                                                            BACKOFF,
                                                            Duration.ofSeconds(4),
                                                            2))));
        }

        void all() {
            for (int step = 0; step < STEPS; step++) {
                step();
                assertThat(server.running).isLessThanOrEqualTo(LIMITS.deliveriesMax());
            }
            drain();
            check();
            server.close();
            transport.close();
        }

        private void step() {
            switch (chance.nextInt(20)) {
                case 0 -> changeOwner();
                case 1 -> server.queues().pause("q");
                case 2, 3 -> server.queues().resume("q");
                case 4 -> delete();
                case 5, 6 -> addNamed();
                case 7, 8 -> addInTransaction();
                case 9, 10, 11 -> add();
                case 12 -> app.ready = chance.nextInt(4) > 0;
                default -> clock.advance(Duration.ofMillis(chance.nextInt(700)));
            }
        }

        private static NewTask task() {
            return NewTask.of(new TaskWork.Push(TaskMethod.POST, "/job", List.of(), new byte[10]));
        }

        private NewTask taskWithEta() {
            long now = clock.epochMicros();
            return chance.nextBoolean() ? task() : task().at(now + chance.nextInt(5_000_000));
        }

        private void added(List<AddResult> results) {
            for (AddResult result : results) {
                if (result instanceof AddResult.Added(var task)) {
                    assertThat(added.put(task.name(), task.state().etaMicros()))
                            .as("a name is used once")
                            .isNull();
                }
            }
        }

        private void add() {
            int count = 1 + chance.nextInt(chance.nextInt(10) == 0 ? 60 : 4);
            added(
                    server.queues()
                            .add(
                                    "q",
                                    java.util.stream.Stream.generate(this::taskWithEta)
                                            .limit(count)
                                            .toList()));
        }

        private void addNamed() {
            String name = "n" + chance.nextInt(30);
            List<AddResult> results = server.queues().add("q", List.of(taskWithEta().named(name)));
            assertThat(results.getFirst() instanceof AddResult.Added).isEqualTo(names.add(name));
            added(results);
        }

        private void addInTransaction() {
            TaskBatch batch = server.queues().prepare("q", List.of(taskWithEta(), taskWithEta()));
            clock.advance(Duration.ofMillis(chance.nextInt(300)));
            int outcome = chance.nextInt(4);
            if (outcome == 0) {
                return;
            }
            CommitResult result;
            try (Snapshot snapshot = server.database().snapshot()) {
                result =
                        server.database()
                                .commit(
                                        new CommitRequest(
                                                snapshot.version(),
                                                List.of(),
                                                List.of(),
                                                List.of(),
                                                batch.rows()))
                                .join();
            }
            assertThat(result).isInstanceOf(CommitResult.Committed.class);
            long now = clock.epochMicros();
            batch.tasks()
                    .forEach(
                            task ->
                                    added.put(
                                            task.name(), Math.max(now, task.state().etaMicros())));
            if (outcome != 1) {
                batch.committed().run();
            }
        }

        private void delete() {
            List<Due> some = server.queues().order("q", null, 3);
            for (Due due : some) {
                server.queues().deleteTasks("q", List.of(due.task()));
                deleted.add(due.task());
            }
        }

        private void changeOwner() {
            switch (chance.nextInt(3)) {
                case 0 -> server.close();
                // A crash: nothing that the process had begun continues.
                case 1 -> {
                    clock.crash();
                    server.crash();
                }
                // The former owner continues, and its commits are refused.
                default -> {}
            }
            server.owner = false;
            clock.advance(Duration.ofMillis(chance.nextInt(5_000)));
            checkRate();
            server = new SimulatedServer(store, clock, chance, LIMITS, app, transport);
            assertThat(server.database().sequencedHere()).isTrue();
        }

        /** Deliveries of one owner, within every period, are within the bucket and the rate. */
        private void checkRate() {
            List<Long> starts = server.startedNanos;
            for (int from = 0; from < starts.size(); from++) {
                for (int to = from; to < starts.size(); to += 1 + (to - from) / 4) {
                    double seconds = (starts.get(to) - starts.get(from)) / 1e9;
                    assertThat(to - from + 1.0)
                            .as("tasks within %s s", seconds)
                            .isLessThanOrEqualTo(BUCKET + seconds * RATE + 0.001);
                }
            }
        }

        private void drain() {
            app.failures = 0;
            app.lost = 0;
            app.ready = true;
            server.queues().resume("q");
            changeOwner();
            for (int minute = 0; minute < 10 && tasks() > 0; minute++) {
                clock.advance(Duration.ofMinutes(1));
            }
        }

        private int tasks() {
            return server.queues().statistics("q", QueueStatistics.Dispatch.NONE).tasks();
        }

        private void check() {
            checkRate();
            assertThat(tasks()).isZero();
            assertThat(added).isNotEmpty();
            added.forEach(
                    (name, eta) -> {
                        if (!deleted.contains(name)) {
                            assertThat(app.succeeded(name)).as(name).isTrue();
                        }
                        for (SimulatedApp.Arrival arrival : app.arrivals(name)) {
                            assertThat(arrival.micros()).as(name).isGreaterThanOrEqualTo(eta);
                        }
                    });
            assertThat(added.keySet())
                    .as("tasks of transactions that did not commit never run")
                    .containsAll(app.arrivals.keySet());
        }
    }
}
