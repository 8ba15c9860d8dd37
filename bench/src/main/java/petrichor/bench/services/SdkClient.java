package petrichor.bench.services;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import petrichor.bench.Sample;
import petrichor.testing.process.RunningProcess;

/**
 * The program {@code services-client} of {@code bench/peers/services}, which runs operations
 * through an official SDK. Belongs to one thread. Ends on close.
 */
final class SdkClient implements AutoCloseable {
    private static final Duration STOP_WITHIN = Duration.ofSeconds(5);

    private final RunningProcess process;
    private final BufferedWriter measurements;
    private final BufferedReader answers;

    /**
     * @param kind of server, as the program calls it
     */
    SdkClient(Path program, String kind, String address, Map<String, String> environment) {
        ProcessBuilder builder =
                new ProcessBuilder(List.of(program.toString(), kind, address))
                        .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        process = RunningProcess.start(builder);
        measurements = process.process().outputWriter(StandardCharsets.UTF_8);
        answers = process.process().inputReader(StandardCharsets.UTF_8);
    }

    /** Repeats an operation with a number of clients. */
    Sample repeat(String operation, int clients, Duration length) {
        return measure(operation + " " + clients + " " + length.toNanos() / 1e9);
    }

    /** Runs an operation of this size once: tasks, documents or mebibytes per second. */
    Sample once(String operation, int size) {
        return Sample.ofRate(measure(operation + " " + size + " 0").perSecond());
    }

    private Sample measure(String measurement) {
        try {
            measurements.write(measurement + "\n");
            measurements.flush();
            String answer = answers.readLine();
            if (answer == null) {
                throw new IllegalStateException("the client ended during: " + measurement);
            }
            JsonObject sample = JsonParser.parseString(answer).getAsJsonObject();
            if (sample.has("error")) {
                throw new IllegalStateException(
                        measurement + ": " + sample.get("error").getAsString());
            }
            return new Sample(
                    sample.get("perSecond").getAsDouble(),
                    sample.get("p50").getAsDouble(),
                    sample.get("p99").getAsDouble());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        process.stop(STOP_WITHIN);
    }
}
