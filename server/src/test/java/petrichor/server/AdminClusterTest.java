package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.admin.v1.CreateIndexRequest;
import com.google.datastore.admin.v1.ExportEntitiesRequest;
import com.google.datastore.admin.v1.ExportEntitiesResponse;
import com.google.datastore.admin.v1.GetIndexRequest;
import com.google.datastore.admin.v1.ImportEntitiesRequest;
import com.google.datastore.admin.v1.Index;
import com.google.gson.JsonParser;
import com.google.longrunning.GetOperationRequest;
import com.google.longrunning.Operation;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.memory.MemoryOptions;
import petrichor.server.config.ServerConfig;

/** Tests the Admin API at servers that do not own the project's database. */
final class AdminClusterTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final String ADMIN = "google.datastore.admin.v1.DatastoreAdmin/";
    private static final String OPERATIONS = "google.longrunning.Operations/";

    @TempDir private Path exports;

    @Test
    void everyServerBuildsAndShowsIndexes() throws Exception {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT)) {
            TestCluster.put(cluster.node(0), "p", "x", 1);
            TestCluster.Node owner = cluster.owner("p");
            TestCluster.Node other = cluster.other(owner);

            Operation done = await(other, owner, create(other, "Task"));
            Index index = done.getResponse().unpack(Index.class);
            assertThat(index.getState()).isEqualTo(Index.State.READY);
            for (TestCluster.Node node : cluster.nodes()) {
                assertThat(getIndex(node, index.getIndexId()).getKind()).isEqualTo("Task");
                assertCode(Status.Code.NOT_FOUND, () -> getIndex(node, "999"));
                assertCode(Status.Code.ALREADY_EXISTS, () -> create(node, "Task"));
            }
        }
    }

    @Test
    void everyServerHasTheRestBinding() {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT)) {
            TestCluster.put(cluster.node(0), "p", "x", 1);
            TestCluster.Node other = cluster.other(cluster.owner("p"));
            HttpResponse<String> created =
                    other.server()
                            .post(
                                    "/v1/projects/p/indexes",
                                    """
                                    {"kind": "Task", "ancestor": "NONE", "properties": [
                                      {"name": "a", "direction": "ASCENDING"},
                                      {"name": "b", "direction": "ASCENDING"}]}\
                                    """);
            assertThat(created.statusCode()).as(created.body()).isEqualTo(200);
            String name =
                    JsonParser.parseString(created.body())
                            .getAsJsonObject()
                            .get("name")
                            .getAsString();
            Wait.until(
                    "the index is built",
                    LONG,
                    () ->
                            other.server()
                                    .get("/v1/" + name)
                                    .body()
                                    .replace(" ", "")
                                    .contains("\"done\":true"));
            assertThat(other.server().get("/v1/projects/p/indexes").body()).contains("\"Task\"");
            HttpResponse<String> removed =
                    other.server()
                            .send(
                                    other.server()
                                            .request("/v1/" + name)
                                            .method("DELETE", HttpRequest.BodyPublishers.noBody()));
            assertThat(removed.statusCode()).as(removed.body()).isEqualTo(200);
        }
    }

    @Test
    void theOwnerExportsAndImportsForTheOthers() throws Exception {
        try (TestCluster cluster =
                TestCluster.start(2, MemoryOptions.DEFAULT, this::withExportFolder)) {
            TestCluster.put(cluster.node(0), "p", "x", 7);
            TestCluster.Node owner = cluster.owner("p");
            TestCluster.Node other = cluster.other(owner);

            Operation export =
                    call(
                            other,
                            ADMIN + "ExportEntities",
                            ExportEntitiesRequest.newBuilder()
                                    .setProjectId("p")
                                    .setOutputUrlPrefix(
                                            exports.resolve("nightly").toUri().toString())
                                    .build());
            String url =
                    await(other, owner, export)
                            .getResponse()
                            .unpack(ExportEntitiesResponse.class)
                            .getOutputUrl();
            TestCluster.delete(other, "p", "x");

            Operation imported =
                    call(
                            other,
                            ADMIN + "ImportEntities",
                            ImportEntitiesRequest.newBuilder()
                                    .setProjectId("p")
                                    .setInputUrl(url)
                                    .build());
            await(other, owner, imported);
            assertThat(TestCluster.get(other, "p", "x")).hasValue(7);
        }
    }

    private ServerConfig withExportFolder(ServerConfig config) {
        return config.withExports(exports);
    }

    private static void assertCode(Status.Code code, Runnable work) {
        assertThatThrownBy(work::run)
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).as(e.toString()).isEqualTo(code));
    }

    private static Operation create(TestCluster.Node at, String kind) {
        Index.Builder index = Index.newBuilder().setKind(kind).setAncestor(Index.AncestorMode.NONE);
        index.addPropertiesBuilder().setName("a").setDirection(Index.Direction.ASCENDING);
        index.addPropertiesBuilder().setName("b").setDirection(Index.Direction.ASCENDING);
        return call(
                at,
                ADMIN + "CreateIndex",
                CreateIndexRequest.newBuilder().setProjectId("p").setIndex(index).build());
    }

    private static Index getIndex(TestCluster.Node at, String id) {
        return call(
                at,
                ADMIN + "GetIndex",
                GetIndexRequest.newBuilder().setProjectId("p").setIndexId(id).build(),
                Index.getDefaultInstance());
    }

    /** Asks both servers until both report the end. */
    private static Operation await(
            TestCluster.Node one, TestCluster.Node other, Operation started) {
        Operation[] shown = {started};
        for (TestCluster.Node node : new TestCluster.Node[] {one, other}) {
            Wait.until(
                    started.getName() + " is done",
                    LONG,
                    () -> {
                        shown[0] =
                                call(
                                        node,
                                        OPERATIONS + "GetOperation",
                                        GetOperationRequest.newBuilder()
                                                .setName(started.getName())
                                                .build());
                        return shown[0].getDone();
                    });
        }
        assertThat(shown[0].hasError()).as(shown[0].toString()).isFalse();
        return shown[0];
    }

    private static Operation call(TestCluster.Node at, String method, Message request) {
        return call(at, method, request, Operation.getDefaultInstance());
    }

    private static <A extends Message> A call(
            TestCluster.Node at, String method, Message request, A answer) {
        MethodDescriptor<Message, A> descriptor =
                MethodDescriptor.<Message, A>newBuilder()
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName(method)
                        .setRequestMarshaller(
                                ProtoUtils.marshaller(request.getDefaultInstanceForType()))
                        .setResponseMarshaller(ProtoUtils.marshaller(answer))
                        .build();
        return ClientCalls.blockingUnaryCall(
                at.server().channel(), descriptor, CallOptions.DEFAULT, request);
    }
}
