package petrichor.jobs.leased;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.cloud.leasing.CostReport;
import petrichor.cloud.leasing.LeaseLine;
import petrichor.cloud.leasing.LeaseState;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.local.Jobs;

/** Jobs on machines that are leased for their stages. */
@Timeout(300)
class LeasedMachinesTest {
    @TempDir Path folder;

    private final List<String> told = new CopyOnWriteArrayList<>();

    private LeaseSetting setting() {
        return LeaseSetting.in(folder.resolve("cloud"))
                .withTypes(
                        List.of(
                                LeaseSetting.type("small", 1, 320, "0.10"),
                                LeaseSetting.type("large", 2, 384, "0.80")))
                .withMachinesMax(3);
    }

    private static EngineOptions options(Path spill) throws IOException {
        Files.createDirectories(spill);
        return EngineOptions.ofThisProcess().withSpillFolder(spill);
    }

    @Test
    void aJobLeasesAndReleasesItsMachinesByStage() throws Exception {
        WordCount job = WordCount.in(folder, new Random(1));
        LeasedMachines machines =
                LeasedMachines.open(setting().withCut(StageCut.EXCHANGES), "word-count", told::add);
        try (machines) {
            Jobs.local().with(options(folder.resolve("spill"))).with(machines).run(job.plan(2));
        }
        assertThat(Files.readAllLines(job.result())).containsExactlyElementsOf(job.expected());
        CostReport cost = machines.cost();
        System.out.print(cost.text());
        System.out.println(told);
        assertThat(cost.stages()).as("%s", told).hasSizeGreaterThan(1);
        assertThat(cost.paid().micros()).isPositive();
        assertThat(MachinesHere.in(folder)).isEmpty();
        assertThat(folder.resolve("spill")).isEmptyDirectory();
    }

    @Test
    void aStageWithoutMachinesEndsTheJobWithTheReason() throws Exception {
        WordCount job = WordCount.in(folder, new Random(1));
        LeaseSetting two = setting().withMachinesMax(2).withWaitMax(Duration.ofSeconds(2));
        try (LeasedMachines machines = LeasedMachines.open(two, "word-count", told::add)) {
            // Another user occupies all of the capacity.
            MachinesHere.occupy(two);
            assertThatThrownBy(
                            () ->
                                    Jobs.local()
                                            .with(options(folder.resolve("spill")))
                                            .with(machines)
                                            .run(job.plan(2)))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("got no machines")
                    .hasMessageContaining("machines are in use");
        } finally {
            MachinesHere.release(two);
        }
        assertThat(job.result()).doesNotExist();
        assertThat(MachinesHere.in(folder)).isEmpty();
    }

    /**
     * Two machines work after a sort that needs one: the second is leased when the sort has read
     * its input.
     */
    @Test
    void machinesAfterABlockingOperatorAreLeasedAtItsEnd() throws Exception {
        WordCount job = WordCount.in(folder, new Random(1));
        LeaseSetting blocking = setting().withCut(StageCut.BLOCKING);
        LeasedMachines machines = LeasedMachines.open(blocking, "blocking", told::add);
        try (machines) {
            Jobs.local()
                    .with(options(folder.resolve("spill")))
                    .with(machines)
                    .run(job.sorted(2, folder.resolve("sorted")));
        }
        assertThat(lines(folder.resolve("sorted"))).containsExactlyElementsOf(lines(job.input()));
        List<LeaseLine> leases = machines.leases();
        List<String> machine = leases.stream().map(LeaseLine::token).distinct().toList();
        assertThat(machine).as("%s", told).hasSize(2);
        int second = leases.stream().map(LeaseLine::token).toList().indexOf(machine.get(1));
        assertThat(leases.subList(0, second).stream().map(LeaseLine::state).toList())
                .as("the first one has worked, and is free again")
                .containsSubsequence(LeaseState.USED, LeaseState.IDLE);
        assertThat(machines.cost().stages()).hasSize(2);
        assertThat(MachinesHere.in(folder)).isEmpty();
    }

    /** The lines of all files, sorted. */
    private static List<String> lines(Path place) throws IOException {
        try (var files = Files.walk(place)) {
            List<String> all = new ArrayList<>();
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.addAll(Files.readAllLines(file));
            }
            Collections.sort(all);
            return all;
        }
    }

    /** A suspended worker of a killed program would otherwise continue its stage some time. */
    @Test
    void workersOfAKilledProgramEndBeforeTheNextLease() throws Exception {
        WordCount job = WordCount.in(folder, new Random(1));
        LeaseSetting two = KilledMachinesTest.setting(folder.resolve("cloud"));
        Process program = LeasingProgram.start(two.folder(), folder.resolve("spill"), job);
        try (BufferedReader said = program.inputReader()) {
            String line = said.readLine();
            while (!line.equals("SubtaskMoved")) {
                line = said.readLine();
                assertThat(line).isNotNull();
            }
            for (long worker : MachinesHere.workers(folder)) {
                MachinesHere.stop(worker);
            }
            program.destroyForcibly();
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
        List<Long> stopped = MachinesHere.workers(folder);
        assertThat(stopped).isNotEmpty();
        try (LeasedMachines _ = open(two)) {
            assertThat(MachinesHere.workers(folder)).doesNotContainAnyElementsOf(stopped);
        }
        assertThat(MachinesHere.in(folder)).isEmpty();
    }

    /** They are not queried before the service that had leased them restarts, possibly late. */
    @Test
    void endedMachinesAreBilledUntilTheirLastHeartbeat() throws Exception {
        WordCount job = WordCount.in(folder, new Random(1));
        LeaseSetting two = KilledMachinesTest.setting(folder.resolve("cloud"));
        Process program = LeasingProgram.start(two.folder(), folder.resolve("spill"), job);
        try (BufferedReader said = program.inputReader()) {
            String line = said.readLine();
            while (!line.equals("SubtaskMoved")) {
                line = said.readLine();
                assertThat(line).isNotNull();
            }
        }
        program.destroyForcibly();
        assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
        List<String> leased =
                MachinesHere.in(folder).keySet().stream().map(MachinesHere::instance).toList();
        leased.stream().filter(one -> !one.isEmpty()).distinct().forEach(MachinesHere::kill);
        try (var machines = Files.newDirectoryStream(two.folder().resolve("machines"), "local-*")) {
            for (Path machine : machines) {
                Path alive = machine.resolve("alive");
                FileTime started = Files.getLastModifiedTime(machine.resolve("pid"));
                assertThat(alive).exists();
                Files.setLastModifiedTime(alive, started);
            }
        }
        LeaseSettlement settlement = LeaseSettlement.of(two, LeasingProgram.JOB);
        assertThat(settlement.left()).isZero();
        assertThat(settlement.cost().stages()).isNotEmpty();
        assertThat(settlement.cost().paidMicros()).isZero();
        assertThat(settlement.cost().elapsed()).isZero();
    }

    /** A job without machines keeps its files, and resumes from them, even after a kill. */
    @Test
    void aJobResumesAfterItsLastStageWhenMachinesAreAvailableAgain() throws Exception {
        WordCount job = WordCount.in(folder, new Random(1));
        LeaseSetting two =
                KilledMachinesTest.setting(folder.resolve("cloud"))
                        .withWaitMax(Duration.ofSeconds(2));
        ResumePoint point = LeasedMachines.resumePoint(two.folder(), LeasingProgram.JOB);
        // The program is killed in its second stage or later.
        Process program = LeasingProgram.start(two.folder(), folder.resolve("spill"), job);
        try (BufferedReader said = program.inputReader()) {
            String line = said.readLine();
            while (!line.startsWith(LeasingProgram.STAGES_DONE)) {
                line = said.readLine();
                assertThat(line).isNotNull();
            }
            program.destroyForcibly();
            assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
        int done = point.stagesDone();
        int stages = point.stages();
        assertThat(done).isBetween(1, stages - 1);
        // Then the cloud has no machines for a while.
        MachinesHere.clear(two);
        try (LeasedMachines machines = open(two)) {
            MachinesHere.occupy(two);
            assertThatThrownBy(() -> run(machines, job))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("got no machines");
        } finally {
            MachinesHere.release(two);
        }
        assertThat(point.isThere()).isTrue();
        assertThat(point.stagesDone()).isEqualTo(done);
        assertThat(job.result()).doesNotExist();
        // An input with a changed size is detected; one with the same size is not read again.
        String lines = Files.readString(job.input());
        Files.writeString(job.input(), "nothing");
        try (LeasedMachines machines = open(two)) {
            assertThatThrownBy(() -> run(machines, job))
                    .hasMessageContaining("has changed since it stopped");
        }
        Files.writeString(job.input(), lines.toUpperCase(Locale.ROOT));
        LeasedMachines machines = open(two.withWaitMax(Duration.ofMinutes(1)));
        try (machines) {
            run(machines, job);
        }
        assertThat(Files.readAllLines(job.result())).containsExactlyElementsOf(job.expected());
        assertThat(point.isThere()).isFalse();
        assertThat(LeasedMachines.jobs(two.folder())).isEmptyDirectory();
        assertThat(told)
                .as("no machines for the first stage")
                .noneMatch(line -> line.startsWith("stage 1: "));
        assertThat(machines.cost().stages()).as("the bill has both").hasSize(stages);
        assertThat(MachinesHere.in(folder)).isEmpty();
    }

    private LeasedMachines open(LeaseSetting setting) {
        return LeasedMachines.open(setting, LeasingProgram.JOB, told::add).resumable();
    }

    private void run(LeasedMachines machines, WordCount job) throws IOException {
        Jobs.local().with(options(folder.resolve("spill"))).with(machines).run(job.plan(2));
    }
}
