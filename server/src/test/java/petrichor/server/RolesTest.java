package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.admin.v1.CreateIndexRequest;
import com.google.datastore.admin.v1.Index;
import com.google.datastore.admin.v1.ListIndexesRequest;
import com.google.datastore.v1.AllocateIdsRequest;
import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.BeginTransactionResponse;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.TransactionOptions;
import com.google.longrunning.ListOperationsRequest;
import com.google.protobuf.ByteString;
import com.google.protobuf.Empty;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
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
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.frontends.access.TokenHash;
import petrichor.server.config.ServerConfig;

/** Tests the permissions of every role on a real server. */
class RolesTest {
    private static final String DATASTORE = "google.datastore.v1.Datastore/";
    private static final String ADMIN = "google.datastore.admin.v1.DatastoreAdmin/";
    private static final String OPERATIONS = "google.longrunning.Operations/";

    @TempDir private Path folder;
    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        Path file = folder.resolve("tokens.toml");
        Files.writeString(
                file,
                section("operator", "admin", "")
                        + section("owner", "admin", "projects = [\"shop\"]")
                        + section("web", "write", "projects = [\"shop\"]")
                        + section("reports", "read", "projects = [\"shop\"]")
                        + section("archive", "read", "databases = [\"stock/old\"]")
                        + section("backup", "read", "")
                        + section("monitor", "read", "projects = []"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        server =
                TestServer.start(
                        config ->
                                config.withAuth(
                                        new ServerConfig.Access(
                                                Optional.of("the single token"),
                                                Optional.empty(),
                                                Optional.of(file),
                                                config.auth().reloadEvery())));
        assertThat(grpc("the single token", "Commit", commit("shop", ""))).isEqualTo("OK");
        assertThat(grpc("operator", "Commit", commit("stock", "old"))).isEqualTo("OK");
    }

    private static String section(String name, String role, String scope) {
        return "["
                + name
                + "]\nrole = \""
                + role
                + "\"\nsha256 = \""
                + TokenHash.of("secret of " + name).hex()
                + "\"\n"
                + scope
                + "\n";
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void aReadTokenReadsAndChangesNothing() {
        assertThat(onBothWires("reports", "Lookup", lookup("shop", ""))).isEqualTo("OK");
        assertThat(onBothWires("reports", "RunQuery", query("shop"))).isEqualTo("OK");
        assertThat(onBothWires("reports", "Commit", commit("shop", "")))
                .isEqualTo("PERMISSION_DENIED");
        assertThat(onBothWires("reports", "AllocateIds", allocation("shop")))
                .isEqualTo("PERMISSION_DENIED");
        assertThat(onBothWires("web", "Commit", commit("shop", ""))).isEqualTo("OK");
        assertThat(onBothWires("web", "AllocateIds", allocation("shop"))).isEqualTo("OK");
    }

    @Test
    void aReadTokenBeginsOnlyReadOnlyTransactionsAndEndsThem() throws Exception {
        BeginTransactionRequest.Builder begin =
                BeginTransactionRequest.newBuilder().setProjectId("shop");
        assertThat(onBothWires("reports", "BeginTransaction", begin.build()))
                .isEqualTo("PERMISSION_DENIED");
        assertThat(
                        onBothWires(
                                "reports",
                                "Lookup",
                                lookup("shop", "").toBuilder()
                                        .setReadOptions(
                                                ReadOptions.newBuilder()
                                                        .setNewTransaction(
                                                                TransactionOptions.newBuilder()))
                                        .build()))
                .isEqualTo("PERMISSION_DENIED");
        begin.getTransactionOptionsBuilder()
                .setReadOnly(TransactionOptions.ReadOnly.getDefaultInstance());
        ByteString transaction =
                BeginTransactionResponse.parseFrom(
                                call("reports", DATASTORE + "BeginTransaction", begin.build()))
                        .getTransaction();
        assertThat(
                        grpc(
                                "reports",
                                "Commit",
                                CommitRequest.newBuilder()
                                        .setProjectId("shop")
                                        .setMode(CommitRequest.Mode.TRANSACTIONAL)
                                        .setTransaction(transaction)
                                        .build()))
                .isEqualTo("OK");
    }

    @Test
    void aTokenReachesItsProjectsAndDatabasesOnly() {
        assertThat(onBothWires("web", "Commit", commit("stock", "old")))
                .isEqualTo("PERMISSION_DENIED");
        assertThat(onBothWires("reports", "Lookup", lookup("stock", "old")))
                .isEqualTo("PERMISSION_DENIED");
        assertThat(onBothWires("archive", "Lookup", lookup("stock", "old"))).isEqualTo("OK");
        assertThat(onBothWires("archive", "Lookup", lookup("stock", "")))
                .isEqualTo("PERMISSION_DENIED");
        assertThat(onBothWires("monitor", "Lookup", lookup("shop", "")))
                .isEqualTo("PERMISSION_DENIED");
        assertThat(onBothWires("backup", "Lookup", lookup("stock", "old"))).isEqualTo("OK");
        // A key cannot refer to another database than that of the request.
        LookupRequest elsewhere =
                lookup("shop", "").toBuilder().setKeys(0, key("stock", "old")).build();
        assertThat(onBothWires("reports", "Lookup", elsewhere)).isEqualTo("INVALID_ARGUMENT");
    }

    @Test
    void indexesNeedAdminOfTheirProject() {
        CreateIndexRequest create =
                CreateIndexRequest.newBuilder()
                        .setProjectId("shop")
                        .setIndex(
                                Index.newBuilder()
                                        .setKind("Task")
                                        .setAncestor(Index.AncestorMode.NONE)
                                        .addProperties(property("due"))
                                        .addProperties(property("done")))
                        .build();
        for (String token : new String[] {"reports", "web", "archive"}) {
            assertThat(admin(token, ADMIN + "CreateIndex", create))
                    .as(token)
                    .isEqualTo("PERMISSION_DENIED");
        }
        ListIndexesRequest list = ListIndexesRequest.newBuilder().setProjectId("shop").build();
        assertThat(admin("reports", ADMIN + "ListIndexes", list)).isEqualTo("OK");
        assertThat(admin("archive", ADMIN + "ListIndexes", list)).isEqualTo("PERMISSION_DENIED");
        assertThat(
                        admin(
                                "archive",
                                OPERATIONS + "ListOperations",
                                ListOperationsRequest.newBuilder()
                                        .setName("projects/shop")
                                        .build()))
                .isEqualTo("PERMISSION_DENIED");
        assertThat(admin("owner", ADMIN + "CreateIndex", create)).isEqualTo("OK");
        String index = "{\"kind\": \"Task\", \"ancestor\": \"NONE\"}";
        assertThat(page("web", "POST", "/v1/projects/shop/indexes", index)).isEqualTo(403);
        assertThat(page("owner", "POST", "/v1/projects/stock/indexes", index)).isEqualTo(403);
        assertThat(page("reports", "GET", "/v1/projects/shop/indexes", "")).isEqualTo(200);
        assertThat(page("archive", "GET", "/v1/projects/shop/indexes", "")).isEqualTo(403);
        assertThat(page("reports", "DELETE", "/v1/projects/shop/indexes/1", "")).isEqualTo(403);
    }

    /** A refusal says nothing about the request's content. */
    @Test
    void rolesAreCheckedBeforeTheBodyIsRead() {
        String queues = "/v2/projects/shop/locations/here/queues";
        for (String path :
                new String[] {
                    "/v1/projects/shop/indexes",
                    "/v1/projects/shop:export",
                    "/v1/projects/shop:import",
                    queues,
                }) {
            assertThat(page("web", "POST", path, "{")).as(path).isEqualTo(403);
            assertThat(page("owner", "POST", path, "{")).as(path).isEqualTo(400);
            assertThat(page("owner", "POST", path, "")).as(path).isEqualTo(400);
        }
        String tasks = queues + "/default/tasks";
        assertThat(page("reports", "POST", tasks, "{")).isEqualTo(403);
        assertThat(page("web", "POST", tasks, "{")).isEqualTo(400);
        assertThat(page("web", "POST", tasks.replace("shop", "stock"), "{")).isEqualTo(403);
        assertThat(page("reports", "GET", queues + "?pageSize=x", "")).isEqualTo(400);
        assertThat(page("archive", "GET", queues + "?pageSize=x", "")).isEqualTo(403);
        assertThat(page("owner", "POST", "/petrichor/v1/cron/stock", "?")).isEqualTo(403);
        assertThat(page("web", "POST", queues + "/default", "{}")).isEqualTo(403);
        assertThat(page("owner", "POST", queues + "/default", "{}")).isEqualTo(404);
        // An empty body is an empty message.
        assertThat(page("owner", "POST", queues + "/default:pause", "")).isEqualTo(200);
        assertThat(page("owner", "POST", "/v1/projects/shop/operations/x:cancel", ""))
                .isEqualTo(404);
    }

    private static Index.IndexedProperty property(String name) {
        return Index.IndexedProperty.newBuilder()
                .setName(name)
                .setDirection(Index.Direction.ASCENDING)
                .build();
    }

    @Test
    void pagesOfTheServerNeedTheRolesThatTheDocumentsName() {
        Map<String, Integer> seen = new TreeMap<>();
        for (String token : new String[] {"backup", "operator", "owner", "monitor"}) {
            for (String path :
                    new String[] {"/metrics", "/petrichor/v1/cluster", "/petrichor/v1/jobs"}) {
                seen.put(token + " " + path, page(token, "GET", path, ""));
            }
            for (String path : new String[] {"/petrichor/v1/jobs", "/reset"}) {
                seen.put(token + " post " + path, page(token, "POST", path, ""));
            }
        }
        assertThat(seen)
                .containsEntry("backup /metrics", 200)
                .containsEntry("monitor /metrics", 200)
                .containsEntry("monitor /petrichor/v1/cluster", 200)
                .containsEntry("backup /petrichor/v1/jobs", 200)
                .containsEntry("owner /petrichor/v1/jobs", 403)
                .containsEntry("monitor /petrichor/v1/jobs", 403)
                .containsEntry("backup post /petrichor/v1/jobs", 403)
                .containsEntry("owner post /petrichor/v1/jobs", 403)
                .containsEntry("operator post /petrichor/v1/jobs", 400)
                .containsEntry("owner post /reset", 403)
                .containsEntry("backup post /reset", 403)
                .containsEntry("operator post /reset", 200);
        assertThat(page("owner", "POST", "/shutdown", "")).isEqualTo(403);
        assertThat(page("", "GET", "/livez", "")).isEqualTo(200);
        assertThat(page("", "GET", "/metrics", "")).isEqualTo(401);
    }

    @Test
    void listsOfDatabasesShowOnlyThoseInReach() {
        assertThat(text("backup", "/petrichor/v1/databases")).contains("shop").contains("stock");
        assertThat(text("archive", "/petrichor/v1/databases"))
                .contains("stock")
                .contains("old")
                .doesNotContain("shop");
        assertThat(text("monitor", "/petrichor/v1/databases")).doesNotContain("shop");
        assertThat(page("reports", "GET", "/petrichor/v1/indexes?project=shop", "")).isEqualTo(200);
        assertThat(page("archive", "GET", "/petrichor/v1/indexes?project=shop", "")).isEqualTo(403);
    }

    /** The outcome of a call of the API, which must be the same on both protocols. */
    private String onBothWires(String token, String method, Message request) {
        String overGrpc = grpc(token, method, request);
        assertThat(rest(token, method, request)).as("over REST").isEqualTo(overGrpc);
        return overGrpc;
    }

    private String grpc(String token, String method, Message request) {
        return admin(token, DATASTORE + method, request);
    }

    private String admin(String token, String method, Message request) {
        try {
            call(token, method, request);
            return "OK";
        } catch (StatusRuntimeException refused) {
            return refused.getStatus().getCode().name();
        }
    }

    /** The response's bytes, for any content type. */
    private byte[] call(String token, String method, Message request) {
        Metadata headers = new Metadata();
        headers.put(
                Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
                "Bearer " + secret(token));
        MethodDescriptor<Message, Empty> descriptor =
                MethodDescriptor.<Message, Empty>newBuilder()
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName(method)
                        .setRequestMarshaller(
                                ProtoUtils.marshaller(request.getDefaultInstanceForType()))
                        .setResponseMarshaller(ProtoUtils.marshaller(Empty.getDefaultInstance()))
                        .build();
        return ClientCalls.blockingUnaryCall(
                        ClientInterceptors.intercept(
                                server.channel(),
                                MetadataUtils.newAttachHeadersInterceptor(headers)),
                        descriptor,
                        CallOptions.DEFAULT,
                        request)
                .toByteArray();
    }

    private static String secret(String token) {
        return token.equals("the single token") ? token : "secret of " + token;
    }

    private String rest(String token, String method, Message request) {
        String project =
                (String)
                        request.getField(
                                request.getDescriptorForType().findFieldByName("project_id"));
        String verb = Character.toLowerCase(method.charAt(0)) + method.substring(1);
        HttpResponse<String> answer =
                send(token, "POST", "/v1/projects/" + project + ":" + verb, json(request));
        return switch (answer.statusCode()) {
            case 200 -> "OK";
            case 400 -> Status.Code.INVALID_ARGUMENT.name();
            case 401 -> Status.Code.UNAUTHENTICATED.name();
            case 403 -> Status.Code.PERMISSION_DENIED.name();
            default -> answer.statusCode() + answer.body();
        };
    }

    private static String json(Message request) {
        try {
            return JsonFormat.printer().print(request);
        } catch (InvalidProtocolBufferException unprintable) {
            throw new AssertionError(unprintable);
        }
    }

    private int page(String token, String method, String path, String body) {
        return send(token, method, path, body).statusCode();
    }

    private String text(String token, String path) {
        return send(token, "GET", path, "").body();
    }

    private HttpResponse<String> send(String token, String method, String path, String body) {
        HttpRequest.Builder request =
                server.request(path)
                        .header("Content-Type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body));
        return server.send(
                token.isEmpty()
                        ? request
                        : request.header("Authorization", "Bearer " + secret(token)));
    }

    private static Key key(String project, String database) {
        return Key.newBuilder()
                .setPartitionId(
                        PartitionId.newBuilder().setProjectId(project).setDatabaseId(database))
                .addPath(Key.PathElement.newBuilder().setKind("Task").setName("one"))
                .build();
    }

    private static LookupRequest lookup(String project, String database) {
        return LookupRequest.newBuilder()
                .setProjectId(project)
                .setDatabaseId(database)
                .addKeys(key(project, database))
                .build();
    }

    private static RunQueryRequest query(String project) {
        RunQueryRequest.Builder request = RunQueryRequest.newBuilder().setProjectId(project);
        request.getQueryBuilder().addKindBuilder().setName("Task");
        return request.build();
    }

    private static AllocateIdsRequest allocation(String project) {
        Key.Builder incomplete = key(project, "").toBuilder();
        incomplete.getPathBuilder(0).clearName();
        return AllocateIdsRequest.newBuilder().setProjectId(project).addKeys(incomplete).build();
    }

    private static CommitRequest commit(String project, String database) {
        return CommitRequest.newBuilder()
                .setProjectId(project)
                .setDatabaseId(database)
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                .addMutations(
                        Mutation.newBuilder()
                                .setUpsert(Entity.newBuilder().setKey(key(project, database))))
                .build();
    }
}
