package petrichor.jobs.leased;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.cloud.leasing.CostReport;
import petrichor.jobs.engine.EngineOptions;
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
    void aJobLeasesItsMachinesByStageAndGivesThemBack() throws Exception {
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
    void aStageForWhichThereAreNoMachinesEndsTheJobWithTheReason() throws Exception {
        WordCount job = WordCount.in(folder, new Random(1));
        LeaseSetting two = setting().withMachinesMax(2).withWaitMax(Duration.ofSeconds(2));
        try (LeasedMachines machines = LeasedMachines.open(two, "word-count", told::add)) {
            // What the computer has is taken by somebody else.
            MachinesHere.occupy(two);
            assertThatThrownBy(
                            () ->
                                    Jobs.local()
                                            .with(options(folder.resolve("spill")))
                                            .with(machines)
                                            .run(job.plan(2)))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("got no machines")
                    .hasMessageContaining("machines are taken");
        } finally {
            MachinesHere.release(two);
        }
        assertThat(job.result()).doesNotExist();
        assertThat(MachinesHere.in(folder)).isEmpty();
    }
}
