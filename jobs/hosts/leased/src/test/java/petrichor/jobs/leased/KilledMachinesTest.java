package petrichor.jobs.leased;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cloud.leasing.CostReport;
import petrichor.cloud.leasing.LeaseJournal;
import petrichor.cloud.local.LocalCloud;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.local.PlanRun;

/**
 * Workers, machines and programs are killed or hang, and machines are reclaimed after a notice,
 * while jobs lease: results stay exact, and no leased machine is left behind. {@code -Dkills=100}
 * for more than a few; {@code -Dseed=} replays one.
 */
@Timeout(1800)
class KilledMachinesTest {
    private static final int HARMED = 3;
    private static final int PAUSE_MS = 5;

    /** Approximate number of events of a job. */
    private static final int MOMENTS = 60;

    private static final Duration HANG_MAX = Duration.ofSeconds(6);

    /** Usually shorter than the rest of a stage; and longer. */
    private static final Duration SHORT_NOTICE = Duration.ofMillis(400);

    private static final Duration LONG_NOTICE = Duration.ofSeconds(4);

    /** Injected faults. */
    private enum Harm {
        /** Its process dies; the machine starts another one. */
        WORKER_KILLED,
        /** Like a power failure: all of its processes die. */
        MACHINE_KILLED,
        /** The process is alive, but never sends anything again. */
        WORKER_HANGS,
        /** The cloud reclaims it while it works. */
        INTERRUPTED,
        /** The cloud reclaims it, possibly after it has finished its work. */
        DRAINED
    }

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
    void faultsOfMachinesNeverChangeAResult() throws Exception {
        long first = firstSeed();
        int kills = kills(HARMED);
        Map<Harm, Integer> harmed = new EnumMap<>(Harm.class);
        int restarts = 0;
        for (long seed = first; seed < first + kills; seed++) {
            restarts += harm(seed, harmed);
        }
        System.out.printf(
                "%d jobs from seed %d: %s; %d stages began again%n",
                kills, first, harmed, restarts);
        assertThat(harmed).as("-Dseed=%d: somebody is harmed", first).isNotEmpty();
    }

    /** Returns the number of restarted stages. */
    private int harm(long seed, Map<Harm, Integer> harmed) throws Exception {
        Random random = new Random(seed);
        Path place = Files.createDirectories(folder.resolve("job-" + seed));
        Path spill = Files.createDirectories(place.resolve("spill"));
        WordCount job = WordCount.in(place, random);
        List<String> told = new CopyOnWriteArrayList<>();
        Harm harm = Harm.values()[(int) (seed % Harm.values().length)];
        JobMoment moment = new JobMoment(1 + random.nextInt(MOMENTS));
        LeaseSetting setting = setting(place.resolve("cloud")).withHangMax(HANG_MAX);
        LeasedMachines machines = LeasedMachines.open(setting, "harmed", told::add);
        FutureTask<String> harming =
                new FutureTask<>(
                        () -> moment.await() ? harmed(harm, place, setting, random) : "nobody");
        try (machines) {
            PlanRun run =
                    Jobs.local()
                            .with(EngineOptions.ofThisProcess().withSpillFolder(spill))
                            .with(machines)
                            .start(job.plan(2, PAUSE_MS), moment);
            Thread.ofPlatform().daemon().start(harming);
            run.await();
        } catch (RuntimeException e) {
            throw new AssertionError("-Dseed=" + seed + ": " + harm + told, e);
        } finally {
            moment.passed();
        }
        String victim = harming.get();
        String what = "-Dseed=" + seed + ": " + harm + " " + victim + ", " + told;
        assertThat(Files.readAllLines(job.result()))
                .as(what)
                .containsExactlyElementsOf(job.expected());
        assertThat(MachinesHere.in(place)).as(what).isEmpty();
        assertThat(spill).as(what).isEmptyDirectory();
        assertThat(machines.cost().paid().micros()).as(what).isPositive();
        if (!victim.isEmpty()) {
            harmed.merge(harm, 1, Integer::sum);
        }
        return moment.restarts();
    }

    /** Describes the victim; empty if there was none left. */
    private static String harmed(Harm harm, Path place, LeaseSetting setting, Random random)
            throws IOException, InterruptedException {
        List<Long> workers = MachinesHere.workers(place);
        if (workers.isEmpty()) {
            return "";
        }
        long worker = workers.get(random.nextInt(workers.size()));
        String instance = MachinesHere.instance(worker);
        if (instance.isEmpty()) {
            return "";
        }
        switch (harm) {
            case WORKER_KILLED ->
                    ProcessHandle.of(worker).ifPresent(ProcessHandle::destroyForcibly);
            case MACHINE_KILLED -> MachinesHere.kill(instance);
            case WORKER_HANGS -> MachinesHere.stop(worker);
            case INTERRUPTED -> MachinesHere.interrupt(setting, instance, SHORT_NOTICE);
            case DRAINED -> MachinesHere.interrupt(setting, instance, LONG_NOTICE);
        }
        return instance;
    }

    @Test
    void machinesOfAKilledProgramAreReleasedAndBilledByTheNext() throws Exception {
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
        Process program = LeasingProgram.start(cloud, place.resolve("spill"), job);
        try (BufferedReader said = program.inputReader()) {
            // At any moment after its first lease, counted by its output.
            int lines = 1 + random.nextInt(MOMENTS);
            for (int i = 0; i < lines; i++) {
                assertThat(said.readLine()).as("-Dseed=%d", seed).isNotNull().isNotEqualTo("done");
            }
            program.destroyForcibly();
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(job.result()).as("-Dseed=%d: not done", seed).doesNotExist();
        // The next one uses the leased machines, or releases them.
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
