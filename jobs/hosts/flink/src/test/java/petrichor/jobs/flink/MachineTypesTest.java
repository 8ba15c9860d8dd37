package petrichor.jobs.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.hosted.HostedEngine;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.leased.ClusterMachines;
import petrichor.jobs.leased.LeaseSetting;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Key;

/** Stages that name their machine type, on a Flink cluster that leases its machines. */
@Tag("slow")
@Timeout(120)
final class MachineTypesTest {
    private static final int LINES = 1_500;

    /** One large machine has a core, and so a slot, for each subtask. */
    private static final int PARALLELISM = 2;

    @TempDir Path folder;

    private JobManagerProcess manager;

    @BeforeEach
    void start() throws Exception {
        manager = JobManagerProcess.start(folder, machines(), 60);
    }

    @AfterEach
    void end() throws Exception {
        manager.kill();
        machines().giveBack();
    }

    /**
     * Idle machines are kept until their paid period ends: a second small one would leave no
     * capacity for the large one.
     */
    private ClusterMachines machines() {
        return new ClusterMachines(
                LeaseSetting.in(folder.resolve("cloud"))
                        .withTypes(
                                List.of(
                                        LeaseSetting.type("tiny", 1, 400, "0.01"),
                                        LeaseSetting.type("small", 1, 600, "0.10"),
                                        LeaseSetting.type("large", 2, 800, "0.40")))
                        .withMachinesMax(2),
                Duration.ZERO);
    }

    @Test
    void eachStageGetsTheTypeThatItNames() throws Exception {
        try (FlinkRuntime flink = manager.client()) {
            for (String type : List.of("huge", "tiny")) {
                assertThatThrownBy(() -> run(flink, type).await())
                        .isInstanceOfSatisfying(
                                PetrichorException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                        .hasMessageContaining("type " + type)
                        .hasMessageContaining("large, small");
            }
            assertThat(machines().types()).isEmpty();

            run(flink, "large").await();
        }
        assertThat(Files.readAllLines(folder.resolve("result")))
                .isEqualTo(
                        IntStream.range(0, LINES)
                                .mapToObj(i -> "line " + i + ",1")
                                .sorted()
                                .toList());
        var types = machines().types();
        assertThat(types)
                .extracting("type", "machines")
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("large", 1),
                        org.assertj.core.groups.Tuple.tuple("small", 2));
        // The small ones were paid for a minute, and released earlier.
        assertThat(machines().cost().elapsed()).isLessThan(Duration.ofSeconds(40));
        assertThat(types).allSatisfy(type -> assertThat(type.paid().micros()).isPositive());
    }

    private JobMaster run(FlinkRuntime flink, String behind) throws Exception {
        Path text =
                Files.write(
                        folder.resolve("text"),
                        IntStream.range(0, LINES).mapToObj(i -> "line " + i).toList());
        Plan plan = Plan.named("lines").parallelism(PARALLELISM);
        plan.read(new TextSource(text.toString()))
                .onMachines("small")
                .groupBy("line")
                .aggregate(Aggregate.count())
                .onMachines(behind)
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
