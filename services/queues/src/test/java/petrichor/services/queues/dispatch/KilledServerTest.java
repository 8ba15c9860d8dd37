package petrichor.services.queues.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Kills a process with {@code kill -9} while transactions add tasks: none is lost, none early. */
@ParameterizedClass
@EnumSource(Transport.class)
class KilledServerTest {
    private static final int NUMBERS_PER_RUN = 100_000;

    private final Transport transport;
    @TempDir private Path folder;
    private final Set<Integer> committed = new HashSet<>();
    private final Set<Integer> ran = new HashSet<>();

    KilledServerTest(Transport transport) {
        this.transport = transport;
    }

    @Tag("slow")
    @Test
    void tasksOfTransactionsSurviveAFewKills() throws IOException, InterruptedException {
        // With RabbitMQ, every process waits for a connection first.
        kill(transport == Transport.DIRECT ? 4 : 1, 1);
    }

    @Tag("slow")
    @Test
    void tasksOfTransactionsSurviveAHundredKills() throws IOException, InterruptedException {
        kill(100, 2);
    }

    private void kill(int times, long seed) throws IOException, InterruptedException {
        Random chance = new Random(seed);
        for (int run = 0; run < times; run++) {
            run(run * NUMBERS_PER_RUN, NUMBERS_PER_RUN, 1 + chance.nextInt(400));
        }
        run(0, 0, Integer.MAX_VALUE);
        assertThat(committed).hasSizeGreaterThan(times);
        assertThat(ran).as("no task is lost").containsAll(committed);
    }

    /** Reads the reports of a process, and kills it after so many commits or when it is idle. */
    private void run(int from, int count, int commits) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx256m",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                CrashingServer.class.getName(),
                                folder.toString(),
                                String.valueOf(from),
                                String.valueOf(count)));
        if (transport == Transport.RABBITMQ) {
            command.add(SharedRabbitMq.url());
        }
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        int seen = 0;
        boolean killed = false;
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                seen += line.startsWith("committed ") ? 1 : 0;
                read(line);
                if (!killed && (seen >= commits || line.equals("idle"))) {
                    // SIGKILL; reports that are already in the pipe are read afterwards.
                    process.toHandle().destroyForcibly();
                    killed = true;
                }
            }
        }
        assertThat(killed).as("the process ended by itself").isTrue();
        process.waitFor();
    }

    private void read(String line) {
        int space = line.indexOf(' ');
        if (space < 0) {
            assertThat(line).isEqualTo("idle");
            return;
        }
        if (!line.substring(space + 1).matches("\\d+")) {
            // The last line of a killed process may be incomplete.
            return;
        }
        int number = Integer.parseInt(line.substring(space + 1));
        switch (line.substring(0, space)) {
            case "committed" -> committed.add(number);
            case "ran" -> ran.add(number);
            default -> throw new AssertionError(line);
        }
    }
}
