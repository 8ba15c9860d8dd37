package petrichor.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.LookupRequest;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/**
 * Tests that requests which expand to much more than their size are refused, and that their memory
 * is released.
 */
class CostlyRequestsTest {
    private static final String COMMIT = "/v1/projects/p:commit";

    @Test
    void aNumberOfAMillionDigitsIsRefusedAtOnce() throws IOException {
        try (TestServer server = TestServer.start()) {
            String digits = "1".repeat(1_000_000);
            HttpResponse<String> answer =
                    packed(
                            server,
                            "{\"mode\":\"NON_TRANSACTIONAL\",\"mutations\":[{\"baseVersion\":"
                                    + digits
                                    + "}]}");
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).hasSizeLessThan(2_000);
            server.awaitMetrics(
                    "petrichor_request_buffered_bytes 0.0",
                    "petrichor_memory_bytes{share=\"requests-large\"} 0.0");
        }
    }

    @Test
    void millionsOfEmptyMutationsAreRefusedBeforeATreeIsBuilt() throws IOException {
        try (TestServer server = TestServer.start()) {
            HttpResponse<String> answer =
                    packed(server, "{\"mutations\":[" + "{},".repeat(2_000_000) + "{}]}");
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("list");
            server.awaitMetrics(
                    "petrichor_request_buffered_bytes 0.0",
                    "petrichor_memory_bytes{share=\"requests-large\"} 0.0");
        }
    }

    @Test
    void anErrorDoesNotEchoAMegabyte() {
        try (TestServer server = TestServer.start()) {
            HttpResponse<String> answer =
                    server.post(COMMIT, "{\"" + "x".repeat(1_000_000) + "\": 1}");
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).hasSizeLessThan(2_000);
        }
    }

    @Test
    void aCallThatDecompressesToTooMuchIsRefused() {
        try (TestServer server = TestServer.start()) {
            ManagedChannel channel =
                    NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                            .usePlaintext()
                            .build();
            try {
                LookupRequest bomb =
                        LookupRequest.newBuilder()
                                .setProjectId("p")
                                .setDatabaseId("x".repeat(40 << 20))
                                .build();
                ClientCalls.blockingUnaryCall(
                        channel,
                        TestServer.LOOKUP,
                        io.grpc.CallOptions.DEFAULT.withCompression("gzip"),
                        bomb);
                throw new AssertionError("it was accepted");
            } catch (StatusRuntimeException refused) {
                assertThat(refused.getStatus().getCode())
                        .isIn(
                                io.grpc.Status.Code.RESOURCE_EXHAUSTED,
                                io.grpc.Status.Code.UNAVAILABLE);
            } finally {
                channel.shutdownNow();
            }
            server.awaitMetrics("petrichor_request_buffered_bytes 0.0");
        }
    }

    private static HttpResponse<String> packed(TestServer server, String json) throws IOException {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(zipped)) {
            zip.write(json.getBytes(UTF_8));
        }
        return server.send(
                server.request(COMMIT)
                        .header("Content-Type", "application/json")
                        .header("Content-Encoding", "gzip")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(zipped.toByteArray())));
    }
}
