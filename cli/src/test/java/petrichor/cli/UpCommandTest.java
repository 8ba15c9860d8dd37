package petrichor.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The server in a process of its own, and what it tells the person who started it. */
final class UpCommandTest {
    private static final int END_SECONDS_MAX = 120;
    private static final String LAST_LINE = "Ctrl-C stops it.";

    @TempDir private Path folder;

    @Test
    void hintsHaveThePortAndTheEndOfMemoryIsSaid() throws Exception {
        List<String> lines = run("--memory", "--port", "0");
        String address =
                lines.stream().filter(line -> line.contains("EMULATOR_HOST=")).findFirst().get();
        String port = address.replaceFirst(".*:", "");
        assertThat(lines)
                .anySatisfy(line -> assertThat(line).contains("gql '").contains("--port " + port))
                .anySatisfy(line -> assertThat(line).contains("export").contains("--port " + port))
                .contains("Stopped; the data was in memory and is gone.")
                .doesNotContain("Stopped; everything that was acknowledged is stored.");
    }

    @Test
    void aFolderIsSaidToKeepWhatWasAcknowledged() throws Exception {
        assertThat(run("--data", folder.resolve("data").toString(), "--port", "0"))
                .contains("Stopped; everything that was acknowledged is stored.");
    }

    /** Starts a server, stops it when it is ready, and returns all that it printed. */
    private List<String> run(String... flags) throws IOException, InterruptedException {
        List<String> words =
                new ArrayList<>(
                        List.of(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Petrichor.class.getName(),
                                "up"));
        words.addAll(List.of(flags));
        Process server =
                new ProcessBuilder(words)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        List<String> lines = new ArrayList<>();
        try (BufferedReader out = server.inputReader()) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                lines.add(line);
                if (line.equals(LAST_LINE)) {
                    server.toHandle().destroy(); // destroy() of the process closes its output
                }
            }
            assertThat(server.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        } finally {
            server.destroyForcibly();
        }
        assertThat(lines).as("what the server printed").contains(LAST_LINE);
        return lines;
    }
}
