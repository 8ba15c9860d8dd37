package petrichor.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;

class MeasuredProcessTest {
    /** Uses about half a second of processor time, on any machine, by its own clock. */
    private static final String WORK =
            "worked() { read -r _ _ _ _ _ _ _ _ _ _ _ _ _ user system _ </proc/self/stat; };"
                    + " worked; until [ $((user + system)) -ge 50 ]; do worked; done";

    private static final double SECONDS_MIN = 0.45;

    @TempDir private Path folder;

    private MeasuredProcess run(String script) throws Exception {
        return MeasuredProcess.run(
                List.of("bash", "-c", script),
                Map.of(),
                folder.resolve("log"),
                Duration.ofMinutes(1));
    }

    @Test
    void resourcesOfAChildAreCounted() throws Exception {
        assertThat(run("bash -c '" + WORK + "'; true").cpuSeconds()).isGreaterThan(SECONDS_MIN);
    }

    @Test
    void resourcesOfAnOrphanedDescendantAreCounted() throws Exception {
        MeasuredProcess measured = run("bash -c '" + WORK + "' & sleep 0.3");
        assertThat(measured.cpuSeconds()).isGreaterThan(SECONDS_MIN / 2);
    }

    @Test
    void memoryIsTheSumOfAllProcesses() throws Exception {
        // Both hold their memory while samples are taken.
        String twenty = "held=$(head -c 20000000 /dev/zero | tr \"\\0\" x)";
        String first = twenty + "; echo >meet; read <met; sleep 1";
        String second = twenty + "; read <meet; echo >met; sleep 1";
        MeasuredProcess measured =
                run(
                        "cd '%s'; mkfifo meet met; bash -c '%s' & bash -c '%s'; wait"
                                .formatted(folder, first, second));
        assertThat(measured.peakMegabytes()).isGreaterThan(40);
    }

    @Test
    void aFailingCommandReportsItsOutput() {
        assertThatThrownBy(() -> run("echo the disk is full; exit 3"))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("ended with 3")
                .hasMessageContaining("the disk is full");
    }

    @Test
    void aHangingCommandIsKilledWithItsChildren() {
        Duration limit = Duration.ofMillis(500);
        assertThatThrownBy(
                        () ->
                                MeasuredProcess.run(
                                        List.of("bash", "-c", "sleep 100071 & sleep 100071"),
                                        Map.of(),
                                        folder.resolve("log"),
                                        limit))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("did not end within");
        assertThat(ProcessHandle.allProcesses().map(each -> each.info().commandLine().orElse("")))
                .noneMatch(line -> line.contains("sleep 100071") && !line.contains("bash"));
    }
}
