package petrichor.bench.movement;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import petrichor.bench.GrpcCalls;
import petrichor.bench.SampleData;
import petrichor.bench.ServerProcess;
import petrichor.testing.process.Pause;
import petrichor.testing.process.Program;

/**
 * A Petrichor server with its own configuration file, over a folder or another store. It can be
 * killed and started again at the same port. Its port is requested by one thread at a time.
 */
final class MovementServer implements AutoCloseable {
    private static final Duration CALL_MAX = Duration.ofSeconds(60);
    private static final int OK = 200;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<String> command;
    private final int port = ServerProcess.freePort();
    private ServerProcess process;

    private MovementServer(Path folder, String configuration) throws IOException {
        Files.createDirectories(folder);
        Path file = privateFile(folder.resolve("petrichor.toml"), configuration);
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "server",
                                "--config",
                                file.toString(),
                                "--port",
                                Integer.toString(port)));
        if (!configuration.contains("[store]")) {
            arguments.addAll(List.of("--data", folder.resolve("data").toString()));
        }
        command = Program.petrichor(List.of(), arguments);
        process = ServerProcess.start(command, port, Map.of());
    }

    /**
     * @param folder for its configuration and, unless that names a store, its data
     */
    static MovementServer start(Path folder, String configuration) throws IOException {
        return new MovementServer(folder, configuration);
    }

    /** A file that only this user can read, as those with passwords and tokens have to be. */
    static Path privateFile(Path file, String content) throws IOException {
        Files.writeString(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    int port() {
        return port;
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + port);
    }

    GrpcCalls client() {
        return new GrpcCalls("127.0.0.1", port, CALL_MAX);
    }

    Duration cpu() {
        return process.cpu();
    }

    /** Ends the process with SIGKILL. */
    void kill() {
        process.kill();
    }

    void startAgain() {
        process = ServerProcess.start(command, port, Map.of());
    }

    /** Posts a request for a database of the project of the samples; fails unless it succeeds. */
    JsonObject ask(String page, String database, JsonObject request) {
        request.addProperty("project", SampleData.PROJECT);
        request.addProperty("database", database);
        try {
            HttpResponse<String> answer =
                    http.send(
                            HttpRequest.newBuilder(uri().resolve("/petrichor/v1/" + page))
                                    .timeout(CALL_MAX)
                                    .POST(HttpRequest.BodyPublishers.ofString(request.toString()))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != OK) {
                throw new IllegalStateException(page + " " + request + ": " + answer.body());
            }
            return JsonParser.parseString(answer.body()).getAsJsonObject();
        } catch (IOException failed) {
            throw new IllegalStateException(page + " " + request + " failed", failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    static String text(JsonObject answer, String field) {
        JsonElement value = answer.get(field);
        return value == null ? "" : value.getAsString();
    }

    /** Polls until a condition holds. */
    static void await(String what, Duration within, BooleanSupplier condition)
            throws InterruptedException {
        long deadline = System.nanoTime() + within.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("after " + within + " still not: " + what);
            }
            Pause.briefly();
        }
    }

    @Override
    public void close() {
        process.close();
        http.close();
    }
}
