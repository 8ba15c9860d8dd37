package petrichor.jobs.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.jobs.flink.JobManagerProcess.await;
import static petrichor.jobs.flink.JobManagerProcess.used;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cloud.Instance;
import petrichor.cloud.InstanceState;
import petrichor.cloud.Listing;
import petrichor.cloud.leasing.CostReport;
import petrichor.cloud.local.LocalCloud;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.hosted.HostedEngine;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.leased.ClusterMachines;
import petrichor.jobs.leased.LeaseSetting;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;

/**
 * A job manager in a separate process that leases machines for its task managers, in the local
 * cloud: real processes, which are killed.
 */
@Tag("slow")
@Timeout(180)
final class LeasedClusterTest {
    private static final int LINES = 1_500;
    private static final int PARALLELISM = 2;

    /**
     * Releases machines at once, although the first minute of each is paid for, to keep the test
     * short.
     */
    private static final Duration EARLY = Duration.ofMinutes(1);

    /** The configured memory of a task manager amounts to 520 MB. */
    private static final int MEGABYTES = 600;

    private static final int TOO_FEW_MEGABYTES = 300;

    @TempDir Path folder;

    private @Nullable JobManagerProcess manager;

    @AfterEach
    void end() throws Exception {
        if (manager != null) {
            running().kill();
        }
        if (Files.exists(folder.resolve("machines"))) {
            machines(MEGABYTES).giveBack();
        }
    }

    /**
     * Two machines, one of which dies; then the manager dies while a job runs; the next one has
     * machines that are too small. A single test, because each manager and task manager takes
     * seconds to start.
     */
    @Test
    void machinesAreLeasedAndReleasedWithTheJobDespiteFailures() throws Exception {
        start(MEGABYTES, 60);
        try (FlinkRuntime flink = running().client()) {
            JobMaster run = run(flink);
            await(
                    "two machines work",
                    () ->
                            used(folder).size() == 2
                                    && run.image().state() == JobState.RUNNING
                                    && running().taskManagers() == 2);
            killOneTaskManager();
            run.await();
            assertThat(run.image().state()).isEqualTo(JobState.FINISHED);
            assertThat(Files.readAllLines(folder.resolve("result"))).isEqualTo(expected());
            await("all machines are given back", () -> machines(MEGABYTES).leased() == 0);
            assertThat(alive()).isEmpty();
            CostReport cost = machines(MEGABYTES).cost();
            assertThat(cost.paid().micros()).isPositive();
            assertThat(cost.used()).isPositive();

            Files.delete(folder.resolve("result"));
            run(flink);
            await("machines work again", () -> !used(folder).isEmpty());
        }
        running().kill();
        assertThat(alive()).isNotEmpty();
        start(TOO_FEW_MEGABYTES, 2);
        await("what was leased before is given back", () -> machines(MEGABYTES).leased() == 0);
        assertThat(alive()).isEmpty();
        failsBecauseTheCloudHasNoSuchMachine();
    }

    private void failsBecauseTheCloudHasNoSuchMachine() throws Exception {
        try (FlinkRuntime flink = running().client()) {
            JobMaster run = run(flink);
            assertThatThrownBy(run::await)
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED))
                    .hasMessageContaining("no instance type that is large enough");
        }
        assertThat(alive()).isEmpty();
    }

    private void start(int megabytes, int waitSeconds) throws Exception {
        manager = JobManagerProcess.start(folder, machines(megabytes), waitSeconds);
    }

    private JobManagerProcess running() {
        return Objects.requireNonNull(manager);
    }

    private ClusterMachines machines(int megabytes) {
        return new ClusterMachines(
                LeaseSetting.in(folder.resolve("cloud"))
                        .withTypes(
                                List.of(
                                        LeaseSetting.type("small", 1, megabytes, "0.10"),
                                        LeaseSetting.type("large", 4, megabytes, "0.40")))
                        .withMachinesMax(4),
                EARLY);
    }

    private List<String> alive() {
        List<String> alive = new ArrayList<>();
        try (LocalCloud cloud = machines(MEGABYTES).cloud(_ -> List.of())) {
            if (cloud.list(ClusterMachines.OWNER) instanceof Listing.Rows rows) {
                for (Listing.Row row : rows.rows()) {
                    if (row instanceof Listing.Row.Seen(Instance instance)
                            && instance.state() != InstanceState.TERMINATED) {
                        alive.add(instance.id());
                    }
                }
            }
        }
        return alive;
    }

    /** The process below the loop of a machine; not the machine itself. */
    private void killOneTaskManager() throws IOException {
        Path machine = folder.resolve("cloud/machines").resolve(used(folder).getFirst());
        String loop = Files.readString(machine.resolve("pid")).split(" ", -1)[0];
        ProcessHandle one =
                ProcessHandle.of(Long.parseLong(loop))
                        .orElseThrow()
                        .children()
                        .filter(child -> child.info().command().orElse("").endsWith("java"))
                        .findFirst()
                        .orElseThrow();
        assertThat(one.destroyForcibly()).isTrue();
    }

    private static List<String> expected() {
        return IntStream.range(0, LINES).mapToObj(i -> "line " + i + ",1").sorted().toList();
    }

    private JobMaster run(FlinkRuntime flink) throws Exception {
        Path text =
                Files.write(
                        folder.resolve("text"),
                        IntStream.range(0, LINES).mapToObj(i -> "line " + i).toList());
        RecordType line = RecordType.of(Field.text("line"));
        Plan plan = Plan.named("lines").parallelism(PARALLELISM);
        plan.read(new TextSource(text.toString()))
                .map(
                        "look",
                        line,
                        (in, out) -> {
                            if (in.text(0).hashCode() % 25 == 0) {
                                LockSupport.parkNanos(50_000_000);
                            }
                            out.emit(in);
                        })
                .groupBy("line")
                .aggregate(Aggregate.count())
                .sortBy(Key.of(0))
                .write(
                        new CsvSink(
                                Target.file(folder.resolve("result").toString()),
                                new CsvSource.Dialect(',', false)));
        var parts = Compiler.standard().compile(plan).parts();
        return new HostedEngine(EngineOptions.ofThisProcess().withSpillFolder(folder), flink)
                .start(parts.getFirst().graph());
    }
}
