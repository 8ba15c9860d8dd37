package petrichor.bench.compression;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.channels.ChannelToken;

/** The parent's side of a {@link TransferProcess}, which ends on close. For one thread. */
final class TransferPeer implements AutoCloseable {
    private static final long STOP_SECONDS = 10;

    private final Process process;
    private final PrintStream orders;
    private final BufferedReader answers;

    /**
     * @param prefix of the command: enters a network namespace
     * @param address this end's address
     */
    TransferPeer(List<String> prefix, String address, ChannelToken token) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-Xms256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TransferProcess.class.getName(),
                        address));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("CHANNEL_TOKEN", token.hex());
        process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        answers =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    void order(String order) {
        orders.println(order);
    }

    /** The words of the answer after the expected first one. */
    String[] answer(String first) throws IOException {
        String line = answers.readLine();
        if (line == null || !line.startsWith(first + " ")) {
            throw new PetrichorException(
                    ErrorCode.INTERNAL,
                    "a process of the benchmark answered '"
                            + line
                            + "' instead of '"
                            + first
                            + "'");
        }
        return line.substring(first.length() + 1).split(" ", -1);
    }

    long cpuNanos() throws IOException {
        order("cpu");
        return Long.parseLong(answer("cpu")[0]);
    }

    @Override
    public void close() {
        orders.close();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
