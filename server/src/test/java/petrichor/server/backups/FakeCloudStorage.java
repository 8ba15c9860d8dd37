package petrichor.server.backups;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import petrichor.testing.process.GoTool;
import petrichor.testing.process.Pause;
import petrichor.testing.process.RunningProcess;

/** A server with Cloud Storage's API of another maker, with a bucket in memory. */
final class FakeCloudStorage implements AutoCloseable {
    private static final String PACKAGE = "github.com/fsouza/fake-gcs-server";
    private static final String VERSION = "v1.56.0";
    private static final Duration START_MAX = Duration.ofMinutes(2);

    private final URI endpoint;
    private final RunningProcess process;

    private FakeCloudStorage(URI endpoint, RunningProcess process) {
        this.endpoint = endpoint;
        this.process = process;
    }

    static FakeCloudStorage start(Path folder, String bucket) {
        try {
            Files.createDirectories(folder.resolve("data").resolve(bucket));
            int port = freePort();
            URI endpoint = URI.create("http://127.0.0.1:" + port);
            FakeCloudStorage server =
                    new FakeCloudStorage(
                            endpoint,
                            RunningProcess.start(
                                    new ProcessBuilder(
                                                    GoTool.install(PACKAGE, VERSION).toString(),
                                                    "-scheme",
                                                    "http",
                                                    "-host",
                                                    "127.0.0.1",
                                                    "-port",
                                                    String.valueOf(port),
                                                    "-backend",
                                                    "memory",
                                                    "-data",
                                                    folder.resolve("data").toString(),
                                                    "-external-url",
                                                    endpoint.toString())
                                            .redirectErrorStream(true)
                                            .redirectOutput(
                                                    folder.resolve("storage.log").toFile())));
            server.awaitBucket(bucket);
            return server;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void awaitBucket(String bucket) {
        long until = System.nanoTime() + START_MAX.toNanos();
        while (!answers(bucket)) {
            if (System.nanoTime() - until > 0 || !process.alive()) {
                close();
                throw new IllegalStateException("the fake Cloud Storage did not start");
            }
            Pause.briefly();
        }
    }

    private boolean answers(String bucket) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI asked = endpoint.resolve("/storage/v1/b/" + bucket + "/o");
            return client.send(
                                    HttpRequest.newBuilder(asked).build(),
                                    HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException notYet) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    URI endpoint() {
        return endpoint;
    }

    @Override
    public void close() {
        process.close();
    }
}
