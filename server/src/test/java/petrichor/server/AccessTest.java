package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.LookupRequest;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.frontends.datastore.FrontEndSettings;

class AccessTest {
    private static final String API = "/v1/projects/p:lookup";

    @Test
    void withoutTheTokenTheApiIsClosedOnBothWires() {
        try (TestServer server = TestServer.start(config -> config.withToken("s3cr3t"))) {
            assertThat(server.post(API, "{}").statusCode()).isEqualTo(401);
            assertThat(code(server, null)).isEqualTo(Status.Code.UNAUTHENTICATED);
            for (String wrong :
                    List.of("Bearer s3cr3", "Bearer s3cr3tt", "s3cr3t", "Basic s3cr3t")) {
                assertThat(code(server, wrong)).as(wrong).isEqualTo(Status.Code.UNAUTHENTICATED);
            }
            assertThat(server.get("/metrics").statusCode()).isEqualTo(401);
            assertThat(
                            server.send(
                                            server.request("/reset")
                                                    .POST(HttpRequest.BodyPublishers.noBody()))
                                    .statusCode())
                    .isEqualTo(401);
            assertThat(server.get("/livez").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void withTheTokenItIsOpen() {
        try (TestServer server = TestServer.start(config -> config.withToken("s3cr3t"))) {
            assertThat(code(server, "Bearer s3cr3t")).isNotEqualTo(Status.Code.UNAUTHENTICATED);
            assertThat(code(server, "bearer s3cr3t")).isNotEqualTo(Status.Code.UNAUTHENTICATED);
            assertThat(
                            server.send(
                                            server.request(API)
                                                    .header("Authorization", "Bearer s3cr3t")
                                                    .header("Content-Type", "application/json")
                                                    .POST(
                                                            HttpRequest.BodyPublishers.ofString(
                                                                    "{}")))
                                    .statusCode())
                    .isNotEqualTo(401);
        }
    }

    @Test
    void bothWiresWorkUnderTls() throws Exception {
        FrontEndSettings.Tls files =
                new FrontEndSettings.Tls(resource("certificate.pem"), resource("key.pem"));
        try (TestServer server = TestServer.start(config -> config.withTls(files));
                HttpClient http = HttpClient.newBuilder().sslContext(trusting()).build()) {
            // It also offers HTTP/2, as curl and browsers do.
            HttpResponse<String> rest =
                    http.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    "https://localhost:"
                                                            + server.port()
                                                            + "/livez"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(rest.body()).isEqualTo("ok\n");

            ManagedChannel channel =
                    NettyChannelBuilder.forAddress("localhost", server.port())
                            .sslContext(
                                    GrpcSslContexts.forClient()
                                            .trustManager(files.certificateChain().toFile())
                                            .build())
                            .build();
            try {
                assertThat(
                                HealthGrpc.newBlockingStub(channel)
                                        .check(HealthCheckRequest.getDefaultInstance())
                                        .getStatus())
                        .isEqualTo(HealthCheckResponse.ServingStatus.SERVING);
            } finally {
                channel.shutdownNow();
            }
        }
    }

    @Test
    void aCertificateThatCannotBeUsedIsRefusedAtTheStart() throws Exception {
        FrontEndSettings.Tls swapped =
                new FrontEndSettings.Tls(resource("key.pem"), resource("certificate.pem"));
        assertThatThrownBy(() -> TestServer.start(config -> config.withTls(swapped)).close())
                .hasMessageContaining("must be PEM files");
    }

    private static Status.Code code(TestServer server, @Nullable String authorization) {
        Metadata headers = new Metadata();
        if (authorization != null) {
            headers.put(
                    Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
                    authorization);
        }
        try {
            ClientCalls.blockingUnaryCall(
                    ClientInterceptors.intercept(
                            server.channel(), MetadataUtils.newAttachHeadersInterceptor(headers)),
                    TestServer.LOOKUP,
                    CallOptions.DEFAULT,
                    LookupRequest.newBuilder().setProjectId("p").build());
            return Status.Code.OK;
        } catch (StatusRuntimeException refused) {
            return refused.getStatus().getCode();
        }
    }

    private static SSLContext trusting() throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (var pem = AccessTest.class.getResourceAsStream("certificate.pem")) {
            store.setCertificateEntry(
                    "us", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private static Path resource(String name) throws Exception {
        return Path.of(Objects.requireNonNull(AccessTest.class.getResource(name)).toURI());
    }
}
