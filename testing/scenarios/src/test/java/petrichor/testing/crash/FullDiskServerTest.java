package petrichor.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Tests a real server on a full disk. */
final class FullDiskServerTest {
    private static final int DISK_MIB = 48;

    /** Space left for the log of the store, which the writers fill within seconds. */
    private static final int LEFT_BYTES = 300_000;

    @TempDir Path temporary;

    @Test
    void onAFullDiskWritesFailReadsContinueAndARestartRecovers() throws Exception {
        Path disk = Files.createDirectory(temporary.resolve("disk"));
        boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=" + DISK_MIB + "m", "none", disk);
        assumeTrue(mounted, "NOT TESTED: a full disk. Mounting a small one needs root");
        try (Trial trial = new Trial(disk.resolve("data"), temporary.resolve("log"), 1)) {
            trial.start();
            trial.openAccounts();
            trial.startWriting();
            trial.awaitAcknowledged(200);
            Path ballast = fill(disk);
            List<PetrichorException> failures = trial.awaitFailures();
            assertThat(failures)
                    .allSatisfy(
                            failure -> {
                                assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                                assertThat(failure.getMessage()).doesNotContain("Exception");
                            });
            // The same server, still without space.
            trial.checkThroughTheServer();
            assertThat(Files.readString(temporary.resolve("log")))
                    .as("what the operator sees")
                    .contains("\"level\":\"error\"")
                    .contains("no writes are accepted any more")
                    .contains("full");
            HttpResponse<String> ready = trial.server().get("/readyz");
            assertThat(ready.statusCode()).isEqualTo(503);
            assertThat(ready.body()).contains("full");
            assertThat(trial.server().get("/livez").statusCode()).isEqualTo(200);
            Files.delete(ballast);
            trial.kill();
            trial.start();
            trial.checkThroughTheServer();
            trial.startWriting();
            trial.awaitAcknowledged(100);
            trial.kill();
            trial.checkIndexesOfACopy(temporary.resolve("copy"));
        } finally {
            assertThat(run("umount", disk)).isTrue();
        }
    }

    private static Path fill(Path disk) throws IOException {
        Path ballast = disk.resolve("ballast");
        byte[] block = new byte[64 << 10];
        while (Files.getFileStore(disk).getUsableSpace() > LEFT_BYTES) {
            Files.write(ballast, block, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
        return ballast;
    }

    private static boolean run(Object... command) throws IOException, InterruptedException {
        String[] words = new String[command.length];
        for (int at = 0; at < command.length; at++) {
            words[at] = command[at].toString();
        }
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        process.inputReader().readAllLines();
        return process.waitFor() == 0;
    }
}
