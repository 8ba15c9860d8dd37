package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import petrichor.frontends.datastore.FrontEndSettings;

class LimitsTest {
    private static final String POST = "POST /v1/projects/p:lookup HTTP/1.1\r\nHost: localhost\r\n";
    private static final int REQUESTS_MAX = 20;
    private static final FrontEndSettings.Limits SMALL = small(Duration.ofSeconds(60));
    private static final FrontEndSettings.Limits HASTY = small(Duration.ofMillis(400));

    private static FrontEndSettings.Limits small(Duration timeout) {
        return new FrontEndSettings.Limits(
                100_000, 150_000, 8, 4, 4 << 10, timeout, timeout, timeout, Duration.ofSeconds(60));
    }

    @Test
    void aRequestOverTheLimitIsRefusedOnBothWires() throws IOException {
        try (TestServer server = TestServer.start(config -> config.withLimits(SMALL))) {
            assertThat(server.post("/v1/projects/p:lookup", " ".repeat(100_001)).statusCode())
                    .isEqualTo(413);
            LookupRequest large =
                    LookupRequest.newBuilder()
                            .setProjectId("p")
                            .setDatabaseId("x".repeat(100_001))
                            .build();
            assertThatThrownBy(() -> server.lookup(large))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            refused ->
                                    assertThat(refused.getStatus().getCode())
                                            .isEqualTo(Status.Code.RESOURCE_EXHAUSTED));
            assertHealthy(server);
        }
    }

    @Test
    void aSmallBodyThatUnpacksToALargeOneIsRefused() throws IOException {
        FrontEndSettings.Limits ample =
                new FrontEndSettings.Limits(
                        100_000,
                        100 << 20,
                        8,
                        4,
                        4 << 10,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60));
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(zipped)) {
            zip.write(new byte[10_000_000]);
        }
        try (TestServer server = TestServer.start(config -> config.withLimits(ample));
                Socket socket = server.connect()) {
            String head =
                    POST
                            + "Content-Type: application/json\r\nContent-Encoding: gzip\r\n"
                            + "Content-Length: "
                            + zipped.size()
                            + "\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(zipped.toByteArray());
            byte[] answer = socket.getInputStream().readNBytes(12);
            assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 413");
            assertHealthy(server);
        }
    }

    @Test
    void manyRequestsTogetherStayWithinTheBudget() throws IOException {
        try (TestServer server = TestServer.start(config -> config.withLimits(SMALL));
                Socket first = server.connect();
                Socket second = server.connect()) {
            String most = POST + "Content-Length: 90001\r\n\r\n" + " ".repeat(90_000);
            send(first, most);
            send(second, most);
            // the second request is refused because the first, incomplete one holds the budget
            Object answer =
                    CompletableFuture.anyOf(statusLine(first), statusLine(second))
                            .orTimeout(60, TimeUnit.SECONDS)
                            .join();
            assertThat(answer).isEqualTo("HTTP/1.1 503");
        }
    }

    @Test
    void aSilentClientIsDisconnected() throws IOException {
        try (TestServer server = TestServer.start(config -> config.withLimits(HASTY));
                Socket silent = server.connect()) {
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aClientThatNeverEndsItsRequestIsDropped() throws IOException {
        try (TestServer server = TestServer.start(config -> config.withLimits(HASTY));
                Socket headers = server.connect();
                Socket body = server.connect()) {
            send(headers, "GET / HTTP/1.1\r\nX-Slow: ");
            send(body, POST + "Content-Length: 1000\r\n\r\n{");
            assertThat(headers.getInputStream().read()).isEqualTo(-1);
            assertThat(body.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aConnectionWithoutRequestsIsDroppedInTheEnd() throws IOException {
        try (TestServer server = TestServer.start(config -> config.withLimits(HASTY))) {
            String answer = "";
            // A busy machine may send the request only after the server has closed the connection.
            for (int tried = 0; tried < REQUESTS_MAX && answer.isEmpty(); tried++) {
                answer = answerUntilDropped(server);
            }
            assertThat(answer).endsWith("ok\n");
        }
    }

    /** Empty if the server closed the connection before the request arrived. */
    private static String answerUntilDropped(TestServer server) {
        try {
            return server.exchange("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
        } catch (SocketException dropped) {
            return "";
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Test
    void aGrpcCallWhoseRequestNeverComesIsEnded() throws Exception {
        FrontEndSettings.Limits patient =
                new FrontEndSettings.Limits(
                        100_000,
                        150_000,
                        8,
                        4,
                        4 << 10,
                        Duration.ofSeconds(60),
                        Duration.ofMillis(200),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60));
        try (TestServer server = TestServer.start(config -> config.withLimits(patient))) {
            // a streaming client sends its headers before it has a message
            MethodDescriptor<LookupRequest, LookupResponse> headersFirst =
                    TestServer.LOOKUP.toBuilder()
                            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                            .build();
            ClientCall<LookupRequest, LookupResponse> call =
                    server.channel().newCall(headersFirst, CallOptions.DEFAULT);
            CompletableFuture<Status> end = new CompletableFuture<>();
            call.start(closing(end), new Metadata());
            assertThat(end.get(60, TimeUnit.SECONDS).getCode())
                    .isEqualTo(Status.Code.DEADLINE_EXCEEDED);
        }
    }

    @Test
    void connectionsOverTheLimitAreClosedAndTheOthersKept() throws IOException {
        FrontEndSettings.Limits few =
                new FrontEndSettings.Limits(
                        100_000,
                        150_000,
                        3,
                        4,
                        4 << 10,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60));
        try (TestServer server = TestServer.start(config -> config.withLimits(few))) {
            List<Socket> kept = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Socket socket = server.connect();
                send(socket, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(socket.getInputStream().read()).isEqualTo('H');
                kept.add(socket);
            }
            try (Socket tooMany = server.connect()) {
                assertThat(tooMany.getInputStream().read()).isEqualTo(-1);
            }
            kept.getFirst().close();
            send(
                    kept.getLast(),
                    "GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertThat(
                            new String(
                                    kept.getLast().getInputStream().readAllBytes(),
                                    StandardCharsets.UTF_8))
                    .contains("petrichor");
            for (Socket socket : kept) {
                socket.close();
            }
        }
    }

    @Test
    void headersOverTheLimitAreRefused() throws IOException {
        try (TestServer server = TestServer.start(config -> config.withLimits(SMALL))) {
            assertThat(
                            server.exchange(
                                    "GET / HTTP/1.1\r\nX-Large: " + "x".repeat(5_000) + "\r\n\r\n"))
                    .startsWith("HTTP/1.1 431");
            assertHealthy(server);
        }
    }

    @Test
    void aGrpcRequestWithinTheLimitButOverTheBudgetMayBeRepeated() {
        FrontEndSettings.Limits tight =
                new FrontEndSettings.Limits(
                        100_000,
                        50_000,
                        8,
                        4,
                        4 << 10,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60));
        try (TestServer server = TestServer.start(config -> config.withLimits(tight))) {
            LookupRequest large =
                    LookupRequest.newBuilder()
                            .setProjectId("p")
                            .setDatabaseIdBytes(ByteString.copyFromUtf8("x".repeat(60_000)))
                            .build();
            assertThatThrownBy(() -> server.lookup(large))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            refused -> {
                                assertThat(refused.getStatus().getCode())
                                        .isEqualTo(Status.Code.UNAVAILABLE);
                                assertThat(refused.getStatus().getDescription())
                                        .contains("limits.buffered-bytes-max");
                            });
            server.awaitMetrics("petrichor_request_buffered_bytes 0.0");
        }
    }

    private static CompletableFuture<String> statusLine(Socket socket) {
        CompletableFuture<String> line = new CompletableFuture<>();
        Thread.startVirtualThread(
                () -> {
                    try {
                        byte[] begin = socket.getInputStream().readNBytes(12);
                        line.complete(new String(begin, StandardCharsets.US_ASCII));
                    } catch (IOException closed) {
                        line.completeExceptionally(closed);
                    }
                });
        return line;
    }

    private static <T> ClientCall.Listener<T> closing(CompletableFuture<Status> end) {
        return new ClientCall.Listener<>() {
            @Override
            public void onClose(Status status, Metadata trailers) {
                end.complete(status);
            }
        };
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    private static void assertHealthy(TestServer server) {
        assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
    }
}
