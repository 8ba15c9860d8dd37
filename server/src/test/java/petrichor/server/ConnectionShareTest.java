package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.LookupRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.kv.memory.MemoryOptions;

/** Tests that one connection has a limited share of the memory for requests. */
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
