package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.admin.v1.ImportEntitiesRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.longrunning.GetOperationRequest;
import com.google.longrunning.Operation;
import com.google.protobuf.Message;
import com.google.rpc.Code;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.coordination.testkit.Wait;
import petrichor.frontends.access.TokenHash;
import petrichor.movement.ExportPart;
import petrichor.movement.ManagedExportWriter;
import petrichor.server.config.ServerConfig;

/**
 * Tests that an administrator of one project can import only entities exported from that project.
 */
class ImportReachTest {
    private static final String ADMIN = "google.datastore.admin.v1.DatastoreAdmin/";
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir private Path folder;
    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        Path file = folder.resolve("tokens.toml");
        Files.writeString(
                file, section("operator", "") + section("owner", "projects = [\"shop\"]"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        server =
                TestServer.start(
                        config ->
                                config.withExports(folder.resolve("exports"))
                                        .withAuth(
                                                new ServerConfig.Access(
                                                        Optional.empty(),
                                                        Optional.empty(),
                                                        Optional.of(file),
                                                        config.auth().reloadEvery())));
    }

    private static String section(String name, String scope) {
        return "["
                + name
                + "]\nrole = \"admin\"\nsha256 = \""
                + TokenHash.of(name).hex()
                + "\"\n"
                + scope
                + "\n";
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void anExportOfAnotherProjectIsRefusedAtOnceOnBothWires() throws Exception {
        String foreign = export("stock");
        assertThatThrownBy(() -> importInto("owner", foreign))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        refused ->
                                assertThat(refused.getStatus().getCode())
                                        .isEqualTo(Status.Code.PERMISSION_DENIED))
                .hasMessageContaining("stock/(default)");
        assertThat(
                        server.send(
                                        server.request("/v1/projects/shop:import")
                                                .header("Content-Type", "application/json")
                                                .header("Authorization", "Bearer owner")
                                                .POST(
                                                        HttpRequest.BodyPublishers.ofString(
                                                                "{\"inputUrl\":\""
                                                                        + foreign
                                                                        + "\"}")))
                                .statusCode())
                .isEqualTo(403);
        assertThat(has("stock 0")).isFalse();
    }

    @Test
    void anExportWithEntitiesOfAnotherProjectStopsAtTheFirst() throws Exception {
        Operation ended = ended("owner", importInto("owner", export("shop", "stock")));
        assertThat(ended.getError().getCode()).isEqualTo(Code.PERMISSION_DENIED.getNumber());
        assertThat(has("stock 1")).isFalse();
    }

    @Test
    void importsAreLimitedToTheProjectsOfTheToken() throws Exception {
        assertThat(ended("owner", importInto("owner", export("shop"))).hasError()).isFalse();
        assertThat(has("shop 0")).isTrue();
        assertThat(ended("operator", importInto("operator", export("stock"))).hasError()).isFalse();
        assertThat(has("stock 0")).isTrue();
    }

    /** An export with one entity of each project. */
    private String export(String... projects) throws IOException {
        Path to =
                Files.createTempDirectory(Files.createDirectories(folder.resolve("exports")), "e");
        try (ManagedExportWriter writer = ManagedExportWriter.create(to.resolve("x"), 1)) {
            writer.begin(new ExportPart("", "Item"));
            for (int i = 0; i < projects.length; i++) {
                writer.write(
                        Entity.newBuilder()
                                .setKey(key(projects[i], projects[i] + " " + i))
                                .build());
            }
            return writer.finish(2).toUri().toString();
        }
    }

    private static Key key(String project, String name) {
        Key.Builder key = Key.newBuilder();
        key.getPartitionIdBuilder().setProjectId(project);
        key.addPathBuilder().setKind("Item").setName(name);
        return key.build();
    }

    private Operation importInto(String token, String url) throws IOException {
        return call(
                token,
                ADMIN + "ImportEntities",
                ImportEntitiesRequest.newBuilder().setProjectId("shop").setInputUrl(url).build(),
                Operation.getDefaultInstance());
    }

    private Operation ended(String token, Operation started) {
        GetOperationRequest get =
                GetOperationRequest.newBuilder().setName(started.getName()).build();
        String method = "google.longrunning.Operations/GetOperation";
        Wait.until(
                "the import ends",
                LONG,
                () -> call(token, method, get, Operation.getDefaultInstance()).getDone());
        return call(token, method, get, Operation.getDefaultInstance());
    }

    private boolean has(String name) {
        LookupRequest lookup =
                LookupRequest.newBuilder().setProjectId("shop").addKeys(key("shop", name)).build();
        return call(
                                "owner",
                                "google.datastore.v1.Datastore/Lookup",
                                lookup,
                                LookupResponse.getDefaultInstance())
                        .getFoundCount()
                > 0;
    }

    private <Q extends Message, A extends Message> A call(
            String token, String method, Q request, A response) {
        Metadata headers = new Metadata();
        headers.put(
                Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
                "Bearer " + token);
        @SuppressWarnings("unchecked")
        MethodDescriptor<Q, A> descriptor =
                MethodDescriptor.<Q, A>newBuilder()
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName(method)
                        .setRequestMarshaller(
                                ProtoUtils.marshaller((Q) request.getDefaultInstanceForType()))
                        .setResponseMarshaller(ProtoUtils.marshaller(response))
                        .build();
        return ClientCalls.blockingUnaryCall(
                ClientInterceptors.intercept(
                        server.channel(), MetadataUtils.newAttachHeadersInterceptor(headers)),
                descriptor,
                CallOptions.DEFAULT,
                request);
    }
}
