package petrichor.jobs.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.Engine;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.JobWatcher;
import petrichor.jobs.engine.workers.WorkerEngine;
import petrichor.jobs.jobgraph.Annotations;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.jobgraph.TaskInput;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;

/**
 * Every write mode, with a worker or the whole process killed at any moment: the output of
 * completed jobs is kept, and that of a killed one is visible completely or not at all.
 */
@Timeout(300)
class WriteModesKillTest {
    private static final long SEED = Long.getLong("seed", System.nanoTime());
    private static final int KILLS = 5;
    private static final int LINES = 5_000;

    /** More rounds than a process survives. */
    private static final int ROUNDS_MAX = 1_000_000;

    private static final RecordType LINE = RecordType.of(Field.text("line"));

    @TempDir Path folder;

    @TempDir Path spill;

    /** Completed jobs, by round. */
    private final Map<Integer, Integer> appended = new HashMap<>();

    /** Runs jobs in a separate process: FOLDER SPILL FIRST-ROUND ROUNDS. */
    static final class Rounds {
        private Rounds() {}

        public static void main(String[] arguments) throws IOException {
            Path folder = Path.of(arguments[0]);
            Path in = folder.resolve("in");
            Engine engine =
                    new Engine(
                            EngineOptions.ofThisProcess()
                                    .withMemoryBytes(8 << 20)
                                    .withSpillFolder(Path.of(arguments[1])));
            int first = Integer.parseInt(arguments[2]);
            for (int round = first; round < first + Integer.parseInt(arguments[3]); round++) {
                Files.write(in, Collections.nCopies(LINES, Integer.toString(round)));
                Files.deleteIfExists(folder.resolve("new"));
                for (Target target : targets(folder)) {
                    engine.run(copy(in, target, (line, out) -> out.emit(line)));
                    System.out.println(Path.of(target.path()).getFileName() + " " + round);
                }
            }
        }
    }

    private static List<Target> targets(Path folder) {
        return List.of(
                Target.file(folder.resolve("new").toString()),
                Target.file(folder.resolve("file").toString()).overwriting(),
                Target.folder(folder.resolve("folder").toString()).overwriting(),
                Target.folder(folder.resolve("appended").toString()).appending());
    }

    private static JobGraph copy(Path in, Target target, MapCode code) {
        JobVertex read =
                new JobVertex(
                        1,
                        "read",
                        new Operation.Read(new TextSource(in.toString())),
                        List.of(),
                        List.of(new Step.Map("code", code, LINE)),
                        LINE,
                        Annotations.parallel(2));
        JobVertex write =
                new JobVertex(
                        2,
                        "write",
                        new Operation.Write(new TextSink(target)),
                        List.of(TaskInput.of(LINE)),
                        List.of(),
                        null,
                        Annotations.parallel(2));
        return new JobGraph(
                "copy",
                List.of(read, write),
                List.of(new JobEdge(1, 2, 0, new Shipping.Rebalance(), ChannelType.FILE)));
    }

    @Test
    void aKilledProcessKeepsCommittedResultsAndShowsNoPartialOnes() throws Exception {
        Random random = new Random(SEED);
        Map<String, Integer> done = new HashMap<>();
        int round = 1;
        for (int kill = 0; kill < KILLS; kill++) {
            Process process = start(round, ROUNDS_MAX);
            try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
                for (int lines = 1 + random.nextInt(12); lines > 0; lines--) {
                    note(said.readLine(), done);
                }
                LockSupport.parkNanos(random.nextLong(20_000_000));
                process.toHandle().destroyForcibly();
                for (String line = said.readLine(); line != null; line = said.readLine()) {
                    note(line, done);
                }
            }
            process.waitFor();
            check(done);
            round = done.values().stream().max(Integer::compare).orElseThrow() + 2;
        }
        Process last = start(round, 1);
        try (BufferedReader said = last.inputReader(StandardCharsets.UTF_8)) {
            said.lines().forEach(line -> note(line, done));
        }
        assertThat(last.waitFor()).isZero();
        check(done);
        assertThat(done.values()).containsOnly(round);
        assertThat(names(folder)).as("seed %s", SEED).noneMatch(name -> name.startsWith("."));
    }

    private Process start(int round, int rounds) throws IOException {
        return new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx200m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Rounds.class.getName(),
                        folder.toString(),
                        spill.toString(),
                        Integer.toString(round),
                        Integer.toString(rounds))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private void note(@Nullable String line, Map<String, Integer> done) {
        assertThat(line).as("the process ended by itself").isNotNull();
        String[] words = String.valueOf(line).split(" ", -1);
        done.put(words[0], Integer.valueOf(words[1]));
        if (words[0].equals("appended")) {
            appended.put(Integer.valueOf(words[1]), LINES);
        }
    }

    private void check(Map<String, Integer> done) throws IOException {
        for (String name : List.of("file", "folder", "appended")) {
            Path path = folder.resolve(name);
            if (!Files.exists(path)) {
                assertThat(done).as("seed %s", SEED).doesNotContainKey(name);
                continue;
            }
            SortedMap<Integer, Integer> lines = lines(path);
            int finished = done.getOrDefault(name, 0);
            if (name.equals("appended")) {
                // The files of a job are added to the folder one after the other, each complete.
                assertThat(lines.values()).as("%s, seed %s", name, SEED).allMatch(n -> n <= LINES);
                assertThat(lines).as("seed %s", SEED).containsAllEntriesOf(appended);
            } else {
                assertThat(lines.values()).as("%s, seed %s", name, SEED).containsExactly(LINES);
                assertThat(lines.firstKey()).as(name).isGreaterThanOrEqualTo(finished);
            }
        }
        if (Files.exists(folder.resolve("new"))) {
            assertThat(lines(folder.resolve("new")).values()).containsExactly(LINES);
        }
    }

    /** Number of lines per round. */
    private static SortedMap<Integer, Integer> lines(Path path) throws IOException {
        SortedMap<Integer, Integer> counts = new TreeMap<>();
        List<Path> files = new ArrayList<>();
        if (Files.isDirectory(path)) {
            names(path).forEach(name -> files.add(path.resolve(name)));
        } else {
            files.add(path);
        }
        for (Path file : files) {
            assertThat(Files.readString(file))
                    .satisfiesAnyOf(
                            text -> assertThat(text).isEmpty(),
                            text -> assertThat(text).endsWith("\n"));
            Files.readAllLines(file)
                    .forEach(line -> counts.merge(Integer.valueOf(line), 1, Integer::sum));
        }
        return counts;
    }

    private static List<String> names(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void aWorkerThatIsKilledLeavesTheOldResultOrTheNewOne() throws Exception {
        WorkerEngine engine =
                new WorkerEngine(
                        EngineOptions.ofThisProcess()
                                .withMemoryBytes(8 << 20)
                                .withSpillFolder(spill),
                        2,
                        List.of("-Xmx200m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        Path in = folder.resolve("in");
        for (Target target : targets(folder).subList(1, 4)) {
            Path path = Path.of(target.path());
            Files.write(in, Collections.nCopies(LINES, "1"));
            new Engine(EngineOptions.ofThisProcess().withSpillFolder(spill))
                    .run(copy(in, target, (line, out) -> out.emit(line)));
            Files.write(in, Collections.nCopies(LINES, "2"));

            JobMaster failing =
                    engine.withAttemptsMax(1)
                            .start(
                                    copy(
                                            in,
                                            target,
                                            (line, out) -> {
                                                Thread.sleep(1);
                                                out.emit(line);
                                            }));
            ProcessHandle.of(failing.processes().get(1)).orElseThrow().destroyForcibly();
            assertThatThrownBy(failing::await).isInstanceOf(PetrichorException.class);
            assertThat(lines(path)).as(path.toString()).isEqualTo(Map.of(1, LINES));

            WriterKiller killer = new WriterKiller();
            JobMaster repeated =
                    engine.start(copy(in, target, (line, out) -> out.emit(line)), killer);
            killer.run.complete(repeated);
            repeated.await();
            assertThat(killer.killed).isTrue();
            Map<Integer, Integer> expected =
                    target.ifExists() == IfExists.APPEND
                            ? Map.of(1, LINES, 2, LINES)
                            : Map.of(2, LINES);
            assertThat(lines(path)).as(path.toString()).isEqualTo(expected);
        }
        assertThat(names(folder)).noneMatch(name -> name.startsWith("."));
        assertThat(spill).isEmptyDirectory();
    }

    /** Kills a worker when a task that writes is running. */
    private static final class WriterKiller implements JobWatcher {
        private final CompletableFuture<JobMaster> run = new CompletableFuture<>();
        private final AtomicBoolean killed = new AtomicBoolean();

        @Override
        public void began(ExecutionGraph image) {}

        @Override
        public void changed(ExecutionDelta delta) {
            if (delta instanceof ExecutionDelta.SubtaskMoved(var id, var to, var _)
                    && id.vertex() == 2
                    && to == TaskState.RUNNING
                    && killed.compareAndSet(false, true)) {
                ProcessHandle.of(run.join().processes().get(1)).orElseThrow().destroyForcibly();
            }
        }
    }
}
