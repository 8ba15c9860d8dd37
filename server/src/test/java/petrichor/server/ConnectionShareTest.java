package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import io.grpc.CallOptions;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import petrichor.coordination.testkit.Wait;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.kv.memory.MemoryOptions;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;

/** Tests that one connection has a limited share of the memory for requests and responses. */
class ConnectionShareTest {
    private static final int MIB = 1 << 20;

    /** A connection has the minimum share, 12 MiB, even if the heap is small. */
    private static final FrontEndSettings.Limits LIMITS =
            new FrontEndSettings.Limits(
                    32 * MIB,
                    40 * MIB,
                    8,
                    4,
                    4 << 10,
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(60));

    @Test
    void oneHttpConnectionTakesAtMostItsShare() throws Exception {
        try (TestServer server = TestServer.start(config -> config.withLimits(LIMITS))) {
            try (Socket modest = server.connect();
                    Socket greedy = server.connect()) {
                begin(modest, 20 * MIB, 8 * MIB);
                server.awaitMetrics("petrichor_request_buffered_bytes " + 8.0 * MIB);
                var _ = CompletableFuture.runAsync(() -> flood(greedy));
                byte[] answer = greedy.getInputStream().readNBytes(12);
                assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 429");
                assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
            }
            server.awaitMetrics("petrichor_request_buffered_bytes 0.0");
        }
    }

    /** Together, the responses are larger than the memory for the responses of all connections. */
    @Test
    void aConnectionThatReadsNoResponsesIsNotServedFurtherAndOthersAre() throws Exception {
        try (TestServer server = TestServer.start(_ -> withSmallMemory());
                Socket lazy = server.connect()) {
            putLarge(server);
            long most = metric(server, "petrichor_memory_bytes_max");
            int requests = (int) (2 * most / (3 * MIB));
            byte[] one = lookup().getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < requests; i++) {
                lazy.getOutputStream().write(one);
            }
            lazy.getOutputStream().flush();
            Wait.until(
                    "a response waits for its reader",
                    Duration.ofSeconds(60),
                    () -> metric(server, "petrichor_memory_bytes") > 0);
            for (int i = 0; i < 5; i++) {
                HttpResponse<String> other = server.post("/v1/projects/p:lookup", KEYS);
                assertThat(other.statusCode()).isEqualTo(200);
            }
            assertThat(metric(server, "petrichor_memory_bytes"))
                    .as("one response, while none is being read")
                    .isBetween(1L * MIB, 4L * MIB);
            InputStream in = lazy.getInputStream();
            for (int i = 0; i < requests; i++) {
                assertThat(readResponse(in)).as("response " + i).isEqualTo("HTTP/1.1 200 OK");
            }
            server.awaitMetrics("petrichor_memory_bytes{share=\"responses\"} 0.0");
        }
    }

    /** About 64 MiB for responses, whatever the heap: fewer requests than can be pipelined. */
    private static ServerConfig withSmallMemory() {
        long ofHeap = 64L * MIB * 100 / 15 * 100 / Runtime.getRuntime().maxMemory();
        return ServerConfig.of(
                        Settings.read(
                                Optional.empty(),
                                Map.of(
                                        "PETRICHOR_SERVER__MEMORY_PERCENT",
                                        "" + Math.clamp(ofHeap, 5, 60)),
                                Map.of()))
                .withMemory()
                .withPort(0)
                .withLimits(LIMITS);
    }

    private static final String KEYS =
            """
            {"keys": [{"path": [{"kind": "Large", "name": "0"}]},
             {"path": [{"kind": "Large", "name": "1"}]},
             {"path": [{"kind": "Large", "name": "2"}]}]}\
            """;

    private static String lookup() {
        return "POST /v1/projects/p:lookup HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/json\r\nContent-Length: "
                + KEYS.length()
                + "\r\n\r\n"
                + KEYS;
    }

    /** Three entities of one MiB. */
    private static void putLarge(TestServer server) {
        for (int i = 0; i < 3; i++) {
            Entity.Builder entity = Entity.newBuilder();
            entity.getKeyBuilder()
                    .addPath(Key.PathElement.newBuilder().setKind("Large").setName("" + i));
            entity.putProperties(
                    "filling",
                    Value.newBuilder()
                            .setStringValue("x".repeat(MIB - 1_000))
                            .setExcludeFromIndexes(true)
                            .build());
            var _ =
                    ClientCalls.blockingUnaryCall(
                            server.channel(),
                            TestCluster.COMMIT,
                            CallOptions.DEFAULT,
                            CommitRequest.newBuilder()
                                    .setProjectId("p")
                                    .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                    .addMutations(Mutation.newBuilder().setUpsert(entity))
                                    .build());
        }
    }

    /** Of the share of responses. */
    private static long metric(TestServer server, String name) {
        String line = "\n" + name + "{share=\"responses\"} ";
        String metrics = server.get("/metrics").body();
        int value = metrics.indexOf(line) + line.length();
        return (long) Double.parseDouble(metrics.substring(value, metrics.indexOf('\n', value)));
    }

    /** Reads a whole response; returns its first line. */
    private static String readResponse(InputStream in) throws IOException {
        String status = line(in);
        int length = 0;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length: ")) {
                length = Integer.parseInt(header.substring("content-length: ".length()));
            }
        }
        in.skipNBytes(length);
        return status;
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.append(next == '\r' ? "" : String.valueOf((char) next));
        }
        return line.toString();
    }

    private static void flood(Socket socket) {
        try {
            begin(socket, 20 * MIB, 19 * MIB);
        } catch (IOException refused) {
            // the server closes the connection before it has read everything
        }
    }

    @Test
    void oneGrpcConnectionTakesAtMostItsShare() {
        try (TestServer server = TestServer.start(config -> config.withLimits(LIMITS))) {
            LookupRequest large =
                    LookupRequest.newBuilder()
                            .setProjectId("p")
                            .setDatabaseId("x".repeat(13 * MIB))
                            .build();
            assertThatThrownBy(() -> server.lookup(large))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            refused -> {
                                assertThat(refused.getStatus().getCode())
                                        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
                                assertThat(refused.getStatus().getDescription())
                                        .contains("12 MiB, the share of one connection");
                            });
            server.awaitMetrics("petrichor_request_buffered_bytes 0.0");
        }
    }

    /** Three quarters of 40 MiB, regardless of the share of one connection. */
    @Test
    void forwardedCallsAreLimitedToTheirShare() {
        try (TestCluster cluster =
                TestCluster.start(1, MemoryOptions.DEFAULT, config -> config.withLimits(LIMITS))) {
            TestServer server = cluster.node(0).server();
            assertThat(forwarded(server, 20)).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(forwarded(server, 31)).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            server.awaitMetrics("petrichor_request_buffered_bytes 0.0");
        }
    }

    private static Status.Code forwarded(TestServer server, int mebibytes) {
        LookupRequest tooLongAName =
                LookupRequest.newBuilder()
                        .setProjectId("p")
                        .setDatabaseId("x".repeat(mebibytes * MIB))
                        .build();
        return PretendedPeer.forward(
                server.channel(), "Lookup", tooLongAName, "only servers know", "");
    }

    /** Sends only the first bytes of a body. */
    private static void begin(Socket socket, int length, int sent) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(
                ("POST /v1/projects/p:lookup HTTP/1.1\r\nHost: localhost\r\n"
                                + "Content-Type: application/json\r\nContent-Length: "
                                + length
                                + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        byte[] spaces = new byte[sent];
        Arrays.fill(spaces, (byte) ' ');
        out.write(spaces);
        out.flush();
    }
}
