package petrichor.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Tests that unauthenticated requests are refused by their headers, so that their bodies take no
 * memory.
 */
class AdmissionTest {
    private static final String LOOKUP = "POST /v1/projects/p:lookup HTTP/1.1\r\n";

    @Test
    void withoutTheTokenABodyIsNotEvenRead() throws IOException {
        try (TestServer server = TestServer.start(config -> config.withToken("s3cr3t"));
                Socket stranger = server.connect()) {
            send(
                    stranger,
                    LOOKUP
                            + "Host: localhost\r\nContent-Type: application/json\r\n"
                            + "Content-Length: 30000000\r\n\r\n");
            // The response arrives although nothing of the body was sent.
            String answer =
                    new String(stranger.getInputStream().readNBytes(120), US_ASCII)
                            .toLowerCase(Locale.ROOT);
            assertThat(answer).startsWith("http/1.1 401").contains("www-authenticate: bearer");
        }
    }

    @Test
    void withoutTheTokenACallEndsBeforeItsMessage() throws Exception {
        try (TestServer server = TestServer.start(config -> config.withToken("s3cr3t"))) {
            ClientCall<LookupRequest, LookupResponse> call =
                    server.channel()
                            .newCall(
                                    // The client of a unary method sends its headers later.
                                    TestServer.LOOKUP.toBuilder()
                                            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                                            .build(),
                                    CallOptions.DEFAULT);
            CompletableFuture<Status> end = new CompletableFuture<>();
            call.start(
                    new ClientCall.Listener<>() {
                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            end.complete(status);
                        }
                    },
                    new Metadata());
            assertThat(end.get(60, TimeUnit.SECONDS).getCode())
                    .isEqualTo(Status.Code.UNAUTHENTICATED);
        }
    }

    @Test
    void pagesOfOtherSitesReachNothing() {
        try (TestServer server = TestServer.start()) {
            for (String path : new String[] {"/reset", "/shutdown", "/v1/projects/p:commit"}) {
                HttpResponse<String> answer =
                        server.send(
                                server.request(path)
                                        .header("Origin", "http://evil.example")
                                        .header("Content-Type", "text/plain")
                                        .POST(HttpRequest.BodyPublishers.ofString("{}")));
                assertThat(answer.statusCode()).as(path).isEqualTo(403);
            }
            for (String path : new String[] {"/metrics", "/petrichor/v1/jobs", "/"}) {
                HttpResponse<String> answer =
                        server.send(server.request(path).header("Origin", "http://evil.example"));
                assertThat(answer.statusCode()).as(path).isEqualTo(403);
            }
            assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void anotherNameInHostIsRefused() throws IOException {
        try (TestServer server = TestServer.start()) {
            assertThat(
                            server.exchange(
                                    String.join(
                                            "\r\n",
                                            "GET /metrics HTTP/1.1",
                                            "Host: evil.example:8081",
                                            "Connection: close",
                                            "",
                                            "")))
                    .startsWith("HTTP/1.1 403")
                    .contains("server.names");
        }
    }

    @Test
    void aBodyNeedsAContentType() {
        try (TestServer server = TestServer.start()) {
            HttpResponse<String> answer =
                    server.send(
                            server.request("/v1/projects/p:lookup")
                                    .POST(HttpRequest.BodyPublishers.ofString("{}")));
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("Content-Type is missing");
        }
    }

    @Test
    void requestSmugglingIsRefused() throws IOException {
        try (TestServer server = TestServer.start()) {
            assertStatus(server, "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", 400);
            assertStatus(server, "Transfer-Encoding: chunked, identity\r\n", 400);
            assertStatus(server, "Transfer-Encoding: xchunked\r\nContent-Length: 4\r\n", 400);
            assertStatus(
                    server, "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400);
            assertStatus(server, "Content-Encoding: br\r\nContent-Length: 4\r\n", 415);
            assertStatus(server, "Content-Encoding: gzip, gzip\r\nContent-Length: 4\r\n", 415);
            assertStatus(server, "Host: other\r\nContent-Length: 4\r\n", 400);
            assertThat(server.exchange("GET /livez HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 400");
            assertThat(server.exchange("GET /livez HTTP/9.9\r\nHost: localhost\r\n\r\n"))
                    .containsAnyOf("HTTP/1.1 505", "HTTP/1.1 400");
            assertThat(server.exchange("GET /livez HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.");
        }
    }

    private static void assertStatus(TestServer server, String headers, int status)
            throws IOException {
        String answer =
                server.exchange(
                        LOOKUP
                                + "Host: localhost\r\nContent-Type: application/json\r\n"
                                + headers
                                + "\r\n0\r\n\r\n");
        assertThat(answer).as(headers).startsWith("HTTP/1.1 " + status);
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(US_ASCII));
        socket.getOutputStream().flush();
    }
}
