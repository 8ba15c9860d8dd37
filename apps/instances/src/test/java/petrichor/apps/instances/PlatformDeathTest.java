package petrichor.apps.instances;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A platform that is killed, and one that does not run as root. */
final class PlatformDeathTest {
    private static final int OTHER_USER = 65_534;

    @TempDir Path folder;
    @TempDir Path classes;

    private final String mark = TestHost.mark();

    private List<String> running() {
        return TestHost.processes("/usr/bin/python3 app.py serve " + mark);
    }

    @Test
    void theKernelEndsInstancesOfAKilledPlatform() throws Exception {
        TestHost.require(IsolationFeature.values());
        List<String> inGroup = List.of("setpriv", "--groups", "4242");
        try (PlatformProcess platform =
                new PlatformProcess(inGroup, classes, folder, "complete", mark)) {
            assertThat(platform.until("ready"))
                    .as("its instance has no group of the platform")
                    .anyMatch(line -> line.matches("ids: \\[(\\d+), \\1, \\[]]"));
            assertThat(running()).hasSize(1);
            platform.kill();
            TestHost.until("its instance ends", () -> running().isEmpty());
        }
        // The next one removes what remains of it.
        assertThat(folder.resolve("host/instances")).isNotEmptyDirectory();
        new TestHost(folder).close();
        assertThat(folder.resolve("host/instances")).isEmptyDirectory();
    }

    @Test
    void otherwiseTheNextPlatformEndsThem() throws Exception {
        try (PlatformProcess platform =
                new PlatformProcess(List.of(), classes, folder, "nothing", mark)) {
            platform.until("ready");
            platform.kill();
        }
        assertThat(running()).as("nothing has ended it yet").hasSize(1);
        new TestHost(folder).close();
        assertThat(running()).isEmpty();
        assertThat(folder.resolve("host/instances")).isEmptyDirectory();
    }

    @Test
    void aFolderHasOneHost() throws Exception {
        try (PlatformProcess platform =
                new PlatformProcess(List.of(), classes, folder, "complete", mark)) {
            platform.until("ready");
            assertThatThrownBy(() -> new TestHost(folder))
                    .hasMessageContaining("is used by another process");
            assertThat(running()).hasSize(1);
            platform.end();
        }
        assertThat(running()).isEmpty();
    }

    @Test
    void worksWithoutRootWithTheIsolationThatRemains() throws Exception {
        TestHost.require(IsolationFeature.OWN_USER);
        for (Path each : List.of(folder, classes)) {
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setAttribute(each, "unix:uid", OTHER_USER);
        }
        List<String> asOther =
                List.of(
                        "setpriv",
                        "--reuid=" + OTHER_USER,
                        "--regid=" + OTHER_USER,
                        "--clear-groups");
        try (PlatformProcess platform =
                new PlatformProcess(asOther, classes, folder, "complete", mark)) {
            List<String> lines = platform.until("ready");
            assertThat(lines)
                    .anyMatch(line -> line.contains("the platform does not run as root"))
                    .anyMatch(line -> line.contains("is limited for each of its processes"))
                    .anyMatch(line -> line.startsWith("code: error: "));
            boolean namespaces = lines.stream().noneMatch(line -> line.contains("namespaces"));
            if (namespaces) {
                // In a user namespace: root of nothing.
                assertThat(lines)
                        .contains(
                                "ids: [0, 0, []]",
                                "secret: error: FileNotFoundError",
                                "platform: error: FileNotFoundError");
            }
            platform.kill();
            TestHost.until("its instance ends", () -> running().isEmpty());
        }
    }
}
