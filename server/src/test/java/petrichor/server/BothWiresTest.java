package petrichor.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.util.JsonFormat;
import com.google.rpc.ErrorInfo;
import io.grpc.CallOptions;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class BothWiresTest {
    private static final Metadata.Key<String> TRACEPARENT =
            Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void onePortSpeaksGrpcAndHttp() {
        HealthCheckResponse health =
                HealthGrpc.newBlockingStub(server.channel())
                        .check(
                                HealthCheckRequest.newBuilder()
                                        .setService("google.datastore.v1.Datastore")
                                        .build());
        assertThat(health.getStatus()).isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
        assertThat(server.get("/").body()).isEqualTo("Ok\n");
    }

    @Test
    void theDecisionWaitsUntilEnoughBytesCame() throws Exception {
        try (Socket socket = server.connect()) {
            socket.setTcpNoDelay(true);
            for (byte one :
                    "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII)) {
                socket.getOutputStream().write(one);
                socket.getOutputStream().flush();
            }
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 200 OK")
                    .endsWith("Ok\n");
        }
    }

    @Test
    void aMethodThatBeginsLikeThePrefaceIsStillHttp() throws Exception {
        assertThat(
                        server.exchange(
                                String.join(
                                        "\r\n",
                                        "PROPFIND / HTTP/1.1",
                                        "Host: localhost",
                                        "Connection: close",
                                        "",
                                        "")))
                .startsWith("HTTP/1.1 405");
    }

    @Test
    void aRefusedRequestHasTheSameCodeAndTextOnBothWires() {
        // a lookup of a key without a path always fails
        LookupRequest request =
                LookupRequest.newBuilder()
                        .setProjectId("project")
                        .addKeys(Key.getDefaultInstance())
                        .build();
        HttpResponse<String> rest =
                server.post("/v1/projects/project:lookup", "{\"keys\": [{\"path\": []}]}");

        assertThatThrownBy(() -> server.lookup(request))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        refused -> {
                            // Google's service sends no details over gRPC.
                            Metadata trailers = Status.trailersFromThrowable(refused);
                            assertThat(trailers == null ? Set.of() : trailers.keys())
                                    .doesNotContain("grpc-status-details-bin");
                            JsonObject error = error(rest);
                            assertThat(error.get("status").getAsString())
                                    .isEqualTo(refused.getStatus().getCode().name());
                            assertThat(error.get("message").getAsString())
                                    .isEqualTo(refused.getStatus().getDescription());
                            ErrorInfo info = errorInfo(rest);
                            assertThat(info.getReason())
                                    .isEqualTo(refused.getStatus().getCode().name());
                            assertThat(info.getDomain()).isEqualTo("petrichor");
                        });
    }

    private static JsonObject error(HttpResponse<String> rest) {
        return JsonParser.parseString(rest.body()).getAsJsonObject().getAsJsonObject("error");
    }

    private static ErrorInfo errorInfo(HttpResponse<String> rest) {
        JsonObject detail = error(rest).getAsJsonArray("details").get(0).getAsJsonObject();
        assertThat(detail.remove("@type").getAsString())
                .isEqualTo("type.googleapis.com/google.rpc.ErrorInfo");
        ErrorInfo.Builder info = ErrorInfo.newBuilder();
        assertThatCode(() -> JsonFormat.parser().merge(detail.toString(), info))
                .doesNotThrowAnyException();
        return info.build();
    }

    @Test
    void aTraceIsReturnedOnBothWires() {
        String traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        String expected = "00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01";
        HttpResponse<String> rest =
                server.send(server.request("/livez").header("traceparent", traceparent));
        assertThat(rest.headers().firstValue("traceparent").orElseThrow()).matches(expected);

        Metadata headers = new Metadata();
        headers.put(TRACEPARENT, traceparent);
        var channel =
                io.grpc.ClientInterceptors.intercept(
                        server.channel(), MetadataUtils.newAttachHeadersInterceptor(headers));
        assertThatThrownBy(
                        () ->
                                ClientCalls.blockingUnaryCall(
                                        channel,
                                        TestServer.LOOKUP,
                                        CallOptions.DEFAULT,
                                        LookupRequest.newBuilder()
                                                .addKeys(Key.getDefaultInstance())
                                                .build()))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        refused -> assertThat(trailer(refused, TRACEPARENT)).matches(expected));
    }

    @Test
    void requestsAreCountedByMethodAndWire() {
        server.post("/v1/projects/p:rollback", "{\"transaction\": \"bm9uc2Vuc2U=\"}");
        assertThat(server.get("/metrics").body())
                .containsPattern(
                        "petrichor_requests_total\\{code=\"[A-Z_]+\",method=\"Rollback\",wire=\"rest\"}"
                            + " \\d")
                .containsPattern(
                        "petrichor_request_seconds_bucket\\{method=\"Rollback\",wire=\"rest\",le=\"\\+Inf\"}"
                            + " \\d")
                .containsPattern("jvm_heap_used_bytes \\d+")
                .containsPattern("petrichor_connections [1-9]");
    }

    private static <T> T trailer(StatusRuntimeException refused, Metadata.Key<T> key) {
        return requireNonNull(requireNonNull(refused.getTrailers()).get(key), key.name());
    }
}
