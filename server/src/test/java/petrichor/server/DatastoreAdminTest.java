package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.admin.v1.CreateIndexRequest;
import com.google.datastore.admin.v1.DeleteIndexRequest;
import com.google.datastore.admin.v1.Index;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.longrunning.GetOperationRequest;
import com.google.longrunning.Operation;
import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.server.config.ServerConfig;

/** Tests the Admin API over both protocols, and its state after a restart. */
class DatastoreAdminTest {
    private static final Duration DONE_WITHIN = Duration.ofSeconds(30);
    private static final String ADMIN = "google.datastore.admin.v1.DatastoreAdmin/";
    private static final String OPERATIONS = "google.longrunning.Operations/";

    @TempDir private Path folder;

    private Server start() {
        return Server.start(ServerConfig.defaults().withData(folder).withPort(0));
    }

    @Test
    void indexesAndTheirOperationsSurviveARestart() throws Exception {
        String creation;
        try (Server server = start()) {
            Operation started = create(server, "Task");
            creation = started.getName();
            Operation done = await(server, creation);
            Index index = done.getResponse().unpack(Index.class);
            assertThat(index.getState()).isEqualTo(Index.State.READY);
            assertThat(index.getAncestor()).isEqualTo(Index.AncestorMode.ALL_ANCESTORS);

            JsonObject shown = get(server, "indexes/" + index.getIndexId());
            assertThat(shown.get("kind").getAsString()).isEqualTo("Task");
            assertThat(shown.get("state").getAsString()).isEqualTo("READY");
            assertThat(get(server, "indexes?filter=state=READY").getAsJsonArray("indexes"))
                    .hasSize(1);
            assertThat(get(server, "indexes?filter=state=CREATING").has("indexes")).isFalse();
        }
        try (Server server = start()) {
            assertThat(await(server, creation).getMetadata().getTypeUrl())
                    .endsWith("IndexOperationMetadata");
            String id =
                    get(server, "indexes")
                            .getAsJsonArray("indexes")
                            .get(0)
                            .getAsJsonObject()
                            .get("indexId")
                            .getAsString();
            Operation removal =
                    call(
                            server,
                            ADMIN + "DeleteIndex",
                            DeleteIndexRequest.newBuilder()
                                    .setProjectId("p")
                                    .setIndexId(id)
                                    .build());
            await(server, removal.getName());
            assertThat(get(server, "indexes").has("indexes")).isFalse();
            assertThat(get(server, "operations").getAsJsonArray("operations")).hasSize(2);
        }
    }

    @Test
    void existingAndUnknownIndexesAreRefused() throws Exception {
        try (Server server = start()) {
            await(server, create(server, "Task").getName());
            assertThatThrownBy(() -> create(server, "Task"))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e ->
                                    assertThat(e.getStatus().getCode())
                                            .isEqualTo(Status.Code.ALREADY_EXISTS));
            assertThat(response(server, "indexes/999").statusCode()).isEqualTo(404);
            assertThat(response(server, "operations/none").statusCode()).isEqualTo(404);
            assertThat(response(server, "indexes?filter=kind=A").statusCode()).isEqualTo(400);
        }
    }

    @Test
    void anUnknownPathIsRefusedWithTheKnownOnes() throws Exception {
        try (TestServer server = TestServer.start(config -> config)) {
            for (String unknown :
                    new String[] {
                        "GET p/indexes/1/2",
                        "GET p/operations/1:cancel",
                        "POST p/indexes/1",
                        "POST p/operations/1",
                        "POST p/operations/1:delete",
                        "DELETE p/indexes",
                        "DELETE p/operations/",
                    }) {
                int space = unknown.indexOf(' ');
                String path = "/v1/projects/" + unknown.substring(space + 1);
                HttpResponse<String> answer =
                        server.send(
                                server.request(path)
                                        .method(
                                                unknown.substring(0, space),
                                                HttpRequest.BodyPublishers.ofString("{}")));
                assertThat(answer.statusCode()).as(unknown).isEqualTo(404);
                assertThat(answer.body())
                        .as(unknown)
                        .contains("no such path: " + path + ";")
                        .contains("/v1/projects/PROJECT/operations");
            }
            assertThat(server.get("/v1/projects/p/operations").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void theTokenGuardsBothWires() throws Exception {
        try (Server server =
                Server.start(
                        ServerConfig.defaults()
                                .withMemory()
                                .withPort(0)
                                .withToken("a secret of the test"))) {
            assertThat(response(server, "indexes").statusCode()).isEqualTo(401);
            assertThatThrownBy(() -> create(server, "Task"))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e ->
                                    assertThat(e.getStatus().getCode())
                                            .isEqualTo(Status.Code.UNAUTHENTICATED));
        }
    }

    private static Operation create(Server server, String kind) {
        Index.Builder index =
                Index.newBuilder().setKind(kind).setAncestor(Index.AncestorMode.ALL_ANCESTORS);
        index.addPropertiesBuilder().setName("due").setDirection(Index.Direction.DESCENDING);
        return call(
                server,
                ADMIN + "CreateIndex",
                CreateIndexRequest.newBuilder().setProjectId("p").setIndex(index).build());
    }

    private static Operation await(Server server, String name) throws InterruptedException {
        long until = System.nanoTime() + DONE_WITHIN.toNanos();
        while (true) {
            Operation operation =
                    call(
                            server,
                            OPERATIONS + "GetOperation",
                            GetOperationRequest.newBuilder().setName(name).build());
            if (operation.getDone()) {
                assertThat(operation.hasError()).isFalse();
                return operation;
            }
            assertThat(System.nanoTime()).as("done in time").isLessThan(until);
            Thread.onSpinWait();
        }
    }

    private static <Q extends Message> Operation call(Server server, String method, Q request) {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("localhost", server.port()).usePlaintext().build();
        try {
            MethodDescriptor<Message, Operation> descriptor =
                    MethodDescriptor.<Message, Operation>newBuilder()
                            .setType(MethodDescriptor.MethodType.UNARY)
                            .setFullMethodName(method)
                            .setRequestMarshaller(
                                    ProtoUtils.marshaller(request.getDefaultInstanceForType()))
                            .setResponseMarshaller(
                                    ProtoUtils.marshaller(Operation.getDefaultInstance()))
                            .build();
            return ClientCalls.blockingUnaryCall(channel, descriptor, CallOptions.DEFAULT, request);
        } finally {
            channel.shutdownNow();
        }
    }

    private static JsonObject get(Server server, String path) throws Exception {
        HttpResponse<String> response = response(server, path);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonParser.parseString(response.body()).getAsJsonObject();
    }

    private static HttpResponse<String> response(Server server, String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(
                                    URI.create(
                                            "http://localhost:"
                                                    + server.port()
                                                    + "/v1/projects/p/"
                                                    + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }
}
