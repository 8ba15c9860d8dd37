package petrichor.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.server.data.StorePlugins;
import petrichor.testing.cluster.LabOptions;
import petrichor.testing.cluster.LabReport;
import petrichor.testing.cluster.Laboratory;
import petrichor.testing.stores.PackagedStores;

/** Runs the fault laboratory briefly. */
@Tag("slow")
final class LaboratoryTest {
    private static final Duration TIME = Duration.ofSeconds(45);

    @BeforeAll
    static void pluginsAreBesideTheProgram() {
        System.setProperty(StorePlugins.FOLDER_PROPERTY, PackagedStores.FOLDER.toString());
        assertThat(StorePlugins.installed().deployments()).hasSizeGreaterThan(3);
    }

    @Test
    void everyGuaranteeHoldsOverPostgreSql() {
        stay("postgresql");
    }

    private static void stay(String store) {
        long seed = Long.getLong("seed", new Random().nextInt(1_000_000));
        LabReport report =
                Laboratory.run(
                        new LabOptions(
                                store,
                                1,
                                3,
                                3,
                                2,
                                TIME,
                                seed,
                                Set.of(),
                                false,
                                LabOptions.Sizes.SMALL,
                                Path.of(System.getProperty("java.io.tmpdir"))
                                        .resolve("petrichor-lab")
                                        .resolve(store + "-" + seed + "-" + System.nanoTime())),
                        System.err::println);
        System.out.print(report.text());
        assertThat(report.findings()).as(report.replay()).isEmpty();
        assertThat(report.judged()).as("transactions that were judged").isGreaterThan(50);
        assertThat(report.faults()).isNotEmpty();
        // CI runs as root with all required programs; no fault may be skipped there.
        if (System.getenv("CI") != null) {
            assertThat(report.notTested()).isEmpty();
        }
    }
}
