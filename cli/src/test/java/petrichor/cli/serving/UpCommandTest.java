package petrichor.cli.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.Petrichor;

/** Tests the server as a separate process, and its messages to the user. */
final class UpCommandTest {
    private static final int END_SECONDS_MAX = 120;
    private static final String LAST_LINE = "Press Ctrl-C to stop.";

    @TempDir private Path folder;

    @Test
    void hintsHaveThePortAndDiscardedDataIsReported() throws Exception {
        List<String> lines = run("human", LAST_LINE, "--memory", "--port", "0");
        String address =
                lines.stream().filter(line -> line.contains("EMULATOR_HOST=")).findFirst().get();
        String port = address.replaceFirst(".*:", "");
        assertThat(lines)
                .contains("  export STORAGE_EMULATOR_HOST=http://localhost:" + port)
                .contains("  export API_HOST=localhost API_PORT=" + port)
                .anySatisfy(line -> assertThat(line).contains("gql '").contains("--port " + port))
                .anySatisfy(line -> assertThat(line).contains("export").contains("--port " + port))
                .contains("Stopped; the in-memory data is discarded.")
                .doesNotContain("Stopped; all acknowledged writes are stored.");
    }

    @Test
    void stoppingReportsThatAcknowledgedWritesAreStored() throws Exception {
        String data = folder.resolve("data").toString();
        assertThat(run("human", LAST_LINE, "--data", data, "--port", "0"))
                .contains("Stopped; all acknowledged writes are stored.");
    }

    @Test
    void offATerminalEveryLineOfStandardErrorIsJson() throws Exception {
        Files.writeString(folder.resolve("petrichor.toml"), "[server]\nmemory-percent = 50\n");
        List<String> messages =
                run("auto", "DATASTORE_PROJECT_ID", "--memory", "--port", "0").stream()
                        .filter(line -> !line.startsWith("  export "))
                        .map(line -> JsonParser.parseString(line).getAsJsonObject())
                        .peek(line -> assertThat(line.get("time").getAsString()).isNotEmpty())
                        .map(
                                line ->
                                        line.get("level").getAsString()
                                                + " "
                                                + line.get("message").getAsString())
                        .toList();
        assertThat(messages)
                .anyMatch(
                        message ->
                                message.matches(
                                        "info Petrichor .* is ready after .*: in memory, discarded"
                                                + " at exit"))
                .anyMatch(
                        message ->
                                message.startsWith(
                                        "warn the environment variable PETRICHOR_SERVER_PORT has"
                                                + " no effect"))
                .containsSubsequence(
                        "info Stopping: waiting for running requests to finish.",
                        "info stopped",
                        "info Stopped; the in-memory data is discarded.");
    }

    @Test
    void aStartThatFailsIsARecordToo() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<String> lines =
                    run("json", "", "--memory", "--port", String.valueOf(taken.getLocalPort()));
            assertThat(lines)
                    .allMatch(line -> JsonParser.parseString(line).isJsonObject())
                    .anyMatch(line -> line.contains("the server did not start"));
        }
    }

    /**
     * Starts a server, stops it when it is ready, and returns its complete output.
     *
     * @param ready part of the line that reports readiness
     */
    private List<String> run(String format, String ready, String... flags)
            throws IOException, InterruptedException {
        List<String> words =
                new ArrayList<>(
                        List.of(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Petrichor.class.getName(),
                                "up"));
        words.addAll(List.of(flags));
        ProcessBuilder command =
                new ProcessBuilder(words).directory(folder.toFile()).redirectErrorStream(true);
        command.environment().put("PETRICHOR_LOG__FORMAT", format);
        if (format.equals("auto")) {
            command.environment().put("PETRICHOR_SERVER_PORT", "1");
        }
        Process server = command.start();
        List<String> lines = new ArrayList<>();
        try (BufferedReader out = server.inputReader()) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                lines.add(line);
                if (!ready.isEmpty() && line.contains(ready)) {
                    server.toHandle().destroy(); // destroy() of the process closes its output
                }
            }
            assertThat(server.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        } finally {
            server.destroyForcibly();
        }
        assertThat(lines).as("what the server printed").anyMatch(line -> line.contains(ready));
        return lines;
    }
}
