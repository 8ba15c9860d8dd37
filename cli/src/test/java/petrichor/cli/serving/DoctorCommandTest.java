package petrichor.cli.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.CommandRun;

final class DoctorCommandTest {
    @TempDir private Path folder;

    @Test
    void findingsAreShownToTheirEnd() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            Path data = folder.resolve("data");
            CommandRun run = CommandRun.of("doctor", "--port", port, "--data", data.toString());
            assertThat(run.code()).isZero();
            assertThat(run.out())
                    .contains("cannot listen on 127.0.0.1:" + port)
                    .contains("or set server.port")
                    .contains(data.toString())
                    .doesNotContain("…");
            assertThat(data).doesNotExist();
        }
    }
}
