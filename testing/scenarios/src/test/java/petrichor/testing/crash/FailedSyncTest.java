package petrichor.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.testing.process.PetrichorServer;

/** Tests a real server on a disk whose syncs fail. */
final class FailedSyncTest {
    @TempDir Path temporary;

    /**
     * After a failed sync the next one may report success although data is lost. Therefore no
     * further sync may happen before a restart, which reads what is on the disk.
     */
    @Test
    @EnabledOnOs(OS.LINUX)
    void afterAFailedSyncWritesFailReadsContinueAndARestartRecovers() throws Exception {
        FailingSync disk = FailingSync.build(temporary);
        Path log = temporary.resolve("log");
        try (Trial trial = new Trial(temporary.resolve("data"), log, 1)) {
            trial.start(disk.environment());
            trial.openAccounts();
            trial.startWriting();
            trial.awaitAcknowledged(200);
            disk.begin();
            assertUnavailable(trial.awaitFailures());
            trial.checkThroughTheServer();
            disk.end();
            long before = trial.acknowledged();
            trial.startWriting();
            assertUnavailable(trial.awaitFailures());
            assertThat(trial.acknowledged())
                    .as("acknowledged after a failed sync")
                    .isEqualTo(before);
            trial.checkThroughTheServer();
            assertThatOperatorsAreInformed(trial.server(), log);
            trial.kill();
            trial.checkIndexesOfACopy(temporary.resolve("copy"));
            trial.start();
            trial.checkThroughTheServer();
            trial.startWriting();
            trial.awaitAcknowledged(100);
            trial.kill();
            trial.checkIndexesOfACopy(temporary.resolve("copy-2"));
        }
    }

    private static void assertUnavailable(List<PetrichorException> failures) {
        assertThat(failures)
                .allSatisfy(
                        failure -> {
                            assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                            assertThat(failure.getMessage()).doesNotContain("Exception");
                        });
    }

    private static void assertThatOperatorsAreInformed(PetrichorServer server, Path log)
            throws IOException, InterruptedException {
        assertThat(Files.readString(log))
                .contains("\"level\":\"error\"")
                .contains("no writes are accepted any more")
                .contains("syncing");
        HttpResponse<String> ready = server.get("/readyz");
        assertThat(ready.statusCode()).isEqualTo(503);
        assertThat(ready.body()).contains("syncing");
        assertThat(server.get("/livez").statusCode()).isEqualTo(200);
    }
}
