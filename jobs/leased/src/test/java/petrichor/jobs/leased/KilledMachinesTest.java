package petrichor.jobs.leased;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cloud.leasing.CostReport;
import petrichor.cloud.leasing.LeaseJournal;
import petrichor.cloud.local.LocalCloud;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.local.Jobs;

/**
 * Workers, machines and programs are killed while jobs lease: results stay exact, and nothing that
 * was leased outlives the next look. {@code -Dkills=100} for more than a few; {@code -Dseed=}
 * replays one.
 */
@Timeout(1800)
class KilledMachinesTest {
    private static final int KILLS = 2;
    private static final int PAUSE_MS = 5;
    private static final int MOMENT_MS_MAX = 1_500;

    @TempDir Path folder;

    static LeaseSetting setting(Path cloud) {
        return LeaseSetting.in(cloud)
                .withTypes(List.of(LeaseSetting.type("small", 1, 320, "0.10")))
                .withMachinesMax(2)
                .withSilentMax(Duration.ofSeconds(5))
                .withCut(StageCut.EXCHANGES);
    }

    private static long firstSeed() {
        return Long.getLong("seed", new Random().nextInt(1_000_000));
    }

    private static int kills(int few) {
        return Long.getLong("seed") == null ? Integer.getInteger("kills", few) : 1;
    }

    @Test
    void aKilledMachineOrWorkerNeverChangesAResult() throws Exception {
        long first = firstSeed();
        int kills = kills(KILLS);
        int restarts = 0;
        for (long seed = first; seed < first + kills; seed++) {
            restarts += killWithin(seed);
        }
        System.out.printf(
                "%d jobs from seed %d, one kill each: %d stages began again%n",
                kills, first, restarts);
    }

    /** How many stages began again. */
    private int killWithin(long seed) throws Exception {
        Random random = new Random(seed);
        Path place = Files.createDirectories(folder.resolve("job-" + seed));
        Path spill = Files.createDirectories(place.resolve("spill"));
        WordCount job = WordCount.in(place, random);
        List<String> told = new CopyOnWriteArrayList<>();
        AtomicInteger wanted = new AtomicInteger(1 + random.nextInt(3));
        int moment = random.nextInt(MOMENT_MS_MAX);
        boolean whole = seed % 2 == 0;
        LeasedMachines machines =
                LeasedMachines.open(setting(place.resolve("cloud")), "killed", told::add);
        List<String> victims = new ArrayList<>();
        Thread killer =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        victims.addAll(
                                                killed(
                                                        place,
                                                        told,
                                                        wanted.get(),
                                                        moment,
                                                        whole,
                                                        random)));
        try (machines) {
            Jobs.local()
                    .with(EngineOptions.ofThisProcess().withSpillFolder(spill))
                    .with(machines)
                    .run(job.plan(2, PAUSE_MS));
            killer.interrupt();
            killer.join();
        } catch (RuntimeException e) {
            throw new AssertionError("-Dseed=" + seed + ": " + told + victims, e);
        }
        assertThat(Files.readAllLines(job.result()))
                .as("-Dseed=%d: %s, killed %s", seed, told, victims)
                .containsExactlyElementsOf(job.expected());
        assertThat(MachinesHere.in(place)).as("-Dseed=%d: machines", seed).isEmpty();
        assertThat(spill).as("-Dseed=%d: files", seed).isEmptyDirectory();
        assertThat(machines.cost().paid().micros()).as("-Dseed=%d", seed).isPositive();
        return (int) told.stream().filter(line -> line.contains("lost")).count();
    }

    /** Waits until a stage has machines, and a while; then kills. */
    private static List<String> killed(
            Path place, List<String> told, int stage, int moment, boolean whole, Random random) {
        try {
            while (told.stream().noneMatch(line -> line.startsWith("stage " + stage + ": "))) {
                Thread.sleep(5);
            }
            Thread.sleep(moment);
            List<Long> workers = MachinesHere.workers(place);
            if (workers.isEmpty()) {
                return List.of();
            }
            long worker = workers.get(random.nextInt(workers.size()));
            String instance = MachinesHere.instance(worker);
            if (whole && !instance.isEmpty()) {
                // As if its plug had been pulled: nobody of it is left.
                MachinesHere.kill(instance);
            } else {
                ProcessHandle.of(worker).ifPresent(ProcessHandle::destroyForcibly);
            }
            return List.of((whole ? "machine " : "worker of ") + instance);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }

    @Test
    void whatAKilledProgramHadLeasedIsGivenBackByTheNextAndIsOnItsBill() throws Exception {
        long first = firstSeed();
        for (long seed = first; seed < first + kills(1); seed++) {
            killProgram(seed);
        }
    }

    private void killProgram(long seed) throws Exception {
        Random random = new Random(seed);
        Path place = Files.createDirectories(folder.resolve("program-" + seed));
        Path cloud = place.resolve("cloud");
        WordCount job = WordCount.in(place, random);
        Process program =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                LeasingProgram.class.getName(),
                                cloud.toString(),
                                place.resolve("spill").toString(),
                                job.input().toString(),
                                job.result().toString())
                        .redirectErrorStream(true)
                        .start();
        try (BufferedReader said = program.inputReader()) {
            // At any moment after it has leased something, or is about to.
            String line = said.readLine();
            assertThat(line).as("-Dseed=%d", seed).contains("stage");
            boolean leased = random.nextInt(3) > 0;
            while (leased && line != null && !line.contains("machines small")) {
                line = said.readLine();
            }
            Thread.sleep(random.nextInt(MOMENT_MS_MAX));
            program.destroyForcibly();
            assertThat(program.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(job.result()).as("-Dseed=%d: not done", seed).doesNotExist();
        // The next one uses what is there, or gives it back.
        WordCount next = WordCount.in(Files.createDirectories(place.resolve("next")), random);
        try (LeasedMachines machines = LeasedMachines.open(setting(cloud), "next", _ -> {})) {
            Jobs.local()
                    .with(EngineOptions.ofThisProcess().withSpillFolder(place.resolve("spill")))
                    .with(machines)
                    .run(next.plan(2));
        }
        assertThat(Files.readAllLines(next.result()))
                .as("-Dseed=%d", seed)
                .containsExactlyElementsOf(next.expected());
        assertThat(MachinesHere.in(place)).as("-Dseed=%d: machines", seed).isEmpty();
        try (LeaseJournal journal = LeaseJournal.open(cloud.resolve("leases"), Instant.now());
                LocalCloud local = LocalMachines.open(setting(cloud))) {
            CostReport bill =
                    CostReport.of(LeasingProgram.JOB, journal.lines(), local, Instant.now());
            boolean used =
                    journal.lines().stream()
                            .anyMatch(
                                    line ->
                                            line.stage()
                                                    .filter(
                                                            stage ->
                                                                    stage.job()
                                                                            .equals(
                                                                                    LeasingProgram
                                                                                            .JOB))
                                                    .isPresent());
            assertThat(bill.paid().micros() > 0).as("-Dseed=%d: %s", seed, bill).isEqualTo(used);
        }
    }
}
