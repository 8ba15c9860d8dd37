package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.admin.v1.CreateIndexRequest;
import com.google.datastore.v1.LookupRequest;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.longrunning.Operation;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.frontends.access.AuditSettings;
import petrichor.server.config.ServerConfig;

/** Tests the audit records of a real server for requests over both protocols. */
class AuditTest {
    private static final String SECRET = "the-secret-token";
    private static final String GET = "no body";
    private static final String CONTENT = "nobody-may-log-this";

    @TempDir private Path folder;

    @Test
    void everyEntranceIsRecordedWithItsOutcome() throws IOException {
        assertThat(records(AuditSettings.Events.ALL))
                .containsExactlyInAnyOrder(
                        "auth.token http Commit shop/(default) OK",
                        "auth.token grpc Lookup shop/(default) OK",
                        "auth.token http GET /metrics  OK",
                        "auth.token http POST /reset  OK",
                        "null http POST /reset  UNAUTHENTICATED",
                        "null http POST /v1/projects/shop:commit  UNAUTHENTICATED",
                        "null grpc Lookup  UNAUTHENTICATED",
                        "null grpc google.datastore.admin.v1.DatastoreAdmin/CreateIndex "
                                + " UNAUTHENTICATED",
                        "auth.token grpc google.datastore.admin.v1.DatastoreAdmin/CreateIndex"
                                + " shop/(default) INVALID_ARGUMENT");
    }

    @Test
    void readsAreLeftOutUnlessAllIsWanted() throws IOException {
        assertThat(records(AuditSettings.Events.WRITES))
                .contains(
                        "auth.token http Commit shop/(default) OK",
                        "auth.token http POST /reset  OK",
                        "null grpc Lookup  UNAUTHENTICATED")
                .doesNotContain(
                        "auth.token grpc Lookup shop/(default) OK",
                        "auth.token http GET /metrics  OK");
        assertThat(records(AuditSettings.Events.OFF)).isEmpty();
    }

    private List<String> records(AuditSettings.Events events) throws IOException {
        Path file = folder.resolve(events.text() + ".jsonl");
        ServerConfig.Log log = ServerConfig.defaults().log();
        try (TestServer server =
                TestServer.start(
                        config ->
                                config.withToken(SECRET)
                                        .withLog(
                                                new ServerConfig.Log(
                                                        log.format(),
                                                        log.level(),
                                                        new AuditSettings(events, file, 1 << 20, 2),
                                                        log.traces())))) {
            send(server, true, "/livez?secret=" + SECRET, GET);
            String commit =
                    "{\"mode\": \"NON_TRANSACTIONAL\", \"mutations\": [{\"upsert\": {\"key\":"
                            + " {\"path\": [{\"kind\": \"Task\", \"name\": \"one\"}]},"
                            + " \"properties\": {\"text\": {\"stringValue\": \""
                            + CONTENT
                            + "\"}}}}]}";
            assertThat(send(server, true, "/v1/projects/shop:commit", commit)).isEqualTo(200);
            assertThat(send(server, false, "/v1/projects/shop:commit", commit)).isEqualTo(401);
            assertThat(send(server, true, "/metrics?password=" + CONTENT, GET)).isEqualTo(200);
            assertThat(send(server, true, "/reset", "")).isEqualTo(200);
            assertThat(send(server, false, "/reset", "")).isEqualTo(401);
            LookupRequest lookup = LookupRequest.newBuilder().setProjectId("shop").build();
            call(server, true, TestServer.LOOKUP, lookup);
            call(server, false, TestServer.LOOKUP, lookup);
            CreateIndexRequest index = CreateIndexRequest.newBuilder().setProjectId("shop").build();
            call(server, true, createIndex(), index);
            call(server, false, createIndex(), index);
        }
        if (!Files.exists(file)) {
            return List.of();
        }
        List<String> records = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            assertThat(line).doesNotContain(SECRET).doesNotContain(CONTENT).contains("127.0.0.1");
            JsonObject entry = JsonParser.parseString(line).getAsJsonObject();
            String database =
                    entry.has("project")
                            ? text(entry, "project") + "/" + text(entry, "database")
                            : "";
            records.add(
                    String.join(
                            " ",
                            entry.get("token").isJsonNull() ? "null" : text(entry, "token"),
                            text(entry, "protocol"),
                            text(entry, "method"),
                            database,
                            text(entry, "outcome")));
        }
        return records;
    }

    private static String text(JsonObject entry, String key) {
        return entry.get(key).getAsString();
    }

    private static int send(TestServer server, boolean known, String path, String body) {
        HttpRequest.Builder request = server.request(path);
        if (!body.equals(GET)) {
            request.header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(body));
        }
        return server.send(known ? request.header("Authorization", "Bearer " + SECRET) : request)
                .statusCode();
    }

    private static MethodDescriptor<CreateIndexRequest, Operation> createIndex() {
        return MethodDescriptor.<CreateIndexRequest, Operation>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName("google.datastore.admin.v1.DatastoreAdmin/CreateIndex")
                .setRequestMarshaller(
                        ProtoUtils.marshaller(CreateIndexRequest.getDefaultInstance()))
                .setResponseMarshaller(ProtoUtils.marshaller(Operation.getDefaultInstance()))
                .build();
    }

    private static <Q, A> void call(
            TestServer server, boolean known, MethodDescriptor<Q, A> method, Q request) {
        Metadata headers = new Metadata();
        if (known) {
            headers.put(
                    Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
                    "Bearer " + SECRET);
        }
        try {
            var _ =
                    ClientCalls.blockingUnaryCall(
                            ClientInterceptors.intercept(
                                    server.channel(),
                                    MetadataUtils.newAttachHeadersInterceptor(headers)),
                            method,
                            CallOptions.DEFAULT,
                            request);
        } catch (StatusRuntimeException refused) {
            // Checked by the record.
        }
    }
}
