package petrichor.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.workers.WorkerEngine;
import petrichor.jobs.engine.workers.Workers;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.pact.compiler.Explanation;
import petrichor.testing.process.CommandLines;

/**
 * Worker processes are killed at any moment of six kinds of jobs, two of them iterations: the job
 * ends with the exact result, or with a failure that reports it, and nothing is left behind. {@code
 * -Dkills=100} for more than a few; {@code -Dseed=} replays one.
 */
@Timeout(1800)
class KilledWorkersTest {
    private static final int KILLS = ExampleJob.KINDS;
    private static final int WORKERS_MAX = 3;

    /** Job graphs of this test take about a second: most kills hit a running one. */
    private static final int MOMENT_MAX_MS = 900;

    /** Number of job graphs of an iteration. */
    private static final int GRAPHS_OF_ITERATION = 4;

    /** Approximate number of a job's events, by which every second kill is scheduled instead. */
    private static final int MOMENT_MAX_DELTAS = 50;

    @TempDir Path folder;

    @Test
    void aKilledWorkerNeverChangesAResultAndLeavesNothing() throws Exception {
        Long replayed = Long.getLong("seed");
        int kills = replayed == null ? Integer.getInteger("kills", KILLS) : 1;
        long first = replayed == null ? new Random().nextInt(1_000_000) : replayed;
        int exact = 0;
        int hits = 0;
        int again = 0;
        for (long seed = first; seed < first + kills; seed++) {
            Trial trial = new Trial(seed);
            exact += trial.run() ? 1 : 0;
            hits += trial.hits.get();
            again += trial.restarts.get() > 0 ? 1 : 0;
        }
        System.out.printf(
                "%d jobs from seed %d: %d workers killed, %d jobs with a stage restarted,"
                        + " %d exact results, %d failures%n",
                kills, first, hits, again, exact, kills - exact);
        assertThat(exact).as("seeds from %d: jobs that survived", first).isPositive();
    }

    /** A job that runs in workers. */
    private record Job(Supplier<List<Long>> processes, Runnable await, int momentMaxMillis) {}

    /** One job with one or more kills. */
    private final class Trial implements RunWatcher {
        private final long seed;
        private final Random random;
        private final Path place;
        private final int victims;
        private final boolean byDeltas;
        private final Set<Long> seen = ConcurrentHashMap.newKeySet();
        private final Set<Integer> ports = ConcurrentHashMap.newKeySet();
        private final AtomicInteger restarts = new AtomicInteger();
        private final AtomicInteger hits = new AtomicInteger();
        private volatile @Nullable Job run;
        private int killed;
        private int untilNext;

        Trial(long seed) throws IOException {
            this.seed = seed;
            this.random = new Random(seed);
            this.place = Files.createDirectories(folder.resolve("trial-" + seed));
            // Usually one; the third death in a stage is a failure.
            this.victims = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 1;
            this.byDeltas = random.nextBoolean();
            this.untilNext = random.nextInt(MOMENT_MAX_DELTAS);
        }

        /** Whether the job succeeded. */
        boolean run() throws Exception {
            ExampleJob job = ExampleJob.any(seed, random, place);
            Path spill = Files.createDirectory(place.resolve("spill"));
            Job started = start(job, spill);
            run = started;
            Thread killer = Thread.ofPlatform().start(() -> killByTime(started));
            boolean exact = true;
            try {
                started.await().run();
                assertThat(Files.readAllLines(job.result()))
                        .as("-Dseed=%d: %s", seed, job.plan().name())
                        .containsExactlyElementsOf(job.expected());
            } catch (PetrichorException e) {
                exact = false;
                assertThat(e).as("-Dseed=%d", seed).hasMessageContaining("died while the job ran");
                assertThat(job.result()).as("-Dseed=%d", seed).doesNotExist();
            }
            killer.interrupt();
            killer.join();
            nothingIsLeft(started, spill);
            return exact;
        }

        private Job start(ExampleJob job, Path spill) {
            var options =
                    EngineOptions.ofThisProcess().withMemoryBytes(8 << 20).withSpillFolder(spill);
            Workers workers =
                    Workers.of(
                            1 + random.nextInt(WORKERS_MAX),
                            List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
            if (job.iterates()) {
                PlanRun all = Jobs.local().with(options).with(workers).start(job.plan(), this);
                return new Job(all::processes, all::await, GRAPHS_OF_ITERATION * MOMENT_MAX_MS);
            }
            JobGraph graph = Compiler.standard().compile(job.plan()).parts().getFirst().graph();
            JobMaster one = new WorkerEngine(options, workers).start(withFiles(graph), this);
            return new Job(one::processes, one::await, MOMENT_MAX_MS);
        }

        /** Turns some edges into files, so that there are stages to restart. */
        private JobGraph withFiles(JobGraph graph) {
            List<JobEdge> edges =
                    graph.edges().stream()
                            .map(
                                    edge ->
                                            edge.shipping() instanceof Shipping.Forward
                                                            || random.nextBoolean()
                                                    ? edge
                                                    : new JobEdge(
                                                            edge.from(),
                                                            edge.to(),
                                                            edge.input(),
                                                            edge.shipping(),
                                                            ChannelType.FILE))
                            .toList();
            try {
                return new JobGraph(graph.name(), graph.vertices(), edges).checked();
            } catch (PetrichorException e) {
                return graph;
            }
        }

        private void killByTime(Job running) {
            try {
                while (!byDeltas && killed < victims) {
                    Thread.sleep(random.nextInt(running.momentMaxMillis()));
                    kill(running);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void compiled(List<Explanation> parts) {}

        @Override
        public void enters(int part, int round) {}

        @Override
        public void began(ExecutionGraph image) {}

        @Override
        public void changed(ExecutionDelta delta) {
            if (delta instanceof ExecutionDelta.StageRestarted) {
                restarts.incrementAndGet();
            }
            Job running = run;
            if (byDeltas && running != null && killed < victims && --untilNext <= 0) {
                untilNext = random.nextInt(MOMENT_MAX_DELTAS);
                kill(running);
            }
        }

        private void kill(Job running) {
            List<Long> processes = running.processes().get();
            if (processes.isEmpty()) {
                return; // Between two rounds.
            }
            for (long pid : processes) {
                seen.add(pid);
                ports.addAll(Listening.ports(pid));
            }
            killed++;
            ProcessHandle.of(processes.get(random.nextInt(processes.size())))
                    .filter(ProcessHandle::destroyForcibly)
                    .ifPresent(_ -> hits.incrementAndGet());
        }

        private void nothingIsLeft(Job ended, Path spill) throws Exception {
            seen.addAll(ended.processes().get());
            for (long pid : seen) {
                // The last victim may not have been reaped yet.
                var process = ProcessHandle.of(pid);
                if (process.isPresent()) {
                    process.get().onExit().get(5, TimeUnit.SECONDS);
                }
            }
            assertThat(children()).as("-Dseed=%d: processes", seed).isEmpty();
            assertThat(spill).as("-Dseed=%d: spill files", seed).isEmptyDirectory();
            try (var files = Files.list(place)) {
                assertThat(files.map(file -> file.getFileName().toString()))
                        .as("-Dseed=%d: parts of results", seed)
                        .noneMatch(name -> name.startsWith("."));
            }
            assertThat(Listening.all()).as("-Dseed=%d: ports", seed).noneMatch(ports::contains);
        }

        private static List<String> children() {
            return ProcessHandle.current()
                    .descendants()
                    .map(CommandLines::of)
                    .filter(command -> command.contains("WorkerMain"))
                    .collect(Collectors.toCollection(ArrayList::new));
        }
    }
}
