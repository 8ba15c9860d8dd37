package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.server.TestCluster.begin;
import static petrichor.server.TestCluster.in;
import static petrichor.server.TestCluster.key;
import static petrichor.server.TestCluster.put;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.RunQueryRequest;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.grpc.CallOptions;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.memory.MemoryOptions;
import petrichor.server.config.ServerConfig;

/**
 * Tests transactions whose server has died: clients get an error that makes them retry, on both
 * protocols.
 */
class LostTransactionsTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    @Test
    void theNextOwnerOfTheDatabaseAnswersAborted() throws Exception {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT)) {
            put(cluster.node(0), "p", "x", 1);
            TestCluster.Node owner = cluster.owner("p");
            TestCluster.Node other = cluster.other(owner);
            ByteString lost = begin(owner, "p");
            owner.ledger().mute();
            Wait.until("the other server owns the database", LONG, () -> takesOver(other));
            assertAborted(other.server(), lost);
        }
    }

    private static boolean takesOver(TestCluster.Node other) {
        try {
            put(other, "p", "y", 1);
            return other.owns("p");
        } catch (StatusRuntimeException notYet) {
            assertThat(notYet.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            return false;
        }
    }

    @Test
    void theSameServerAnswersAbortedAfterItsRestart(@TempDir Path folder) throws Exception {
        ByteString lost;
        try (TestServer server = start(folder)) {
            lost =
                    ClientCalls.blockingUnaryCall(
                                    server.channel(),
                                    TestCluster.BEGIN,
                                    CallOptions.DEFAULT,
                                    BeginTransactionRequest.newBuilder().setProjectId("p").build())
                            .getTransaction();
        }
        try (TestServer server = start(folder)) {
            assertAborted(server, lost);
        }
    }

    private static TestServer start(Path folder) {
        return TestServer.of(Server.start(ServerConfig.defaults().withData(folder).withPort(0)));
    }

    private static void assertAborted(TestServer server, ByteString lost) throws Exception {
        LookupRequest lookup =
                LookupRequest.newBuilder()
                        .setProjectId("p")
                        .setReadOptions(in(lost))
                        .addKeys(key("p", "x"))
                        .build();
        assertAborted(() -> server.lookup(lookup));
        assertAborted(server, "lookup", lookup);
        RunQueryRequest.Builder query =
                RunQueryRequest.newBuilder().setProjectId("p").setReadOptions(in(lost));
        query.getQueryBuilder().addKindBuilder().setName("Number");
        assertAborted(
                () ->
                        ClientCalls.blockingUnaryCall(
                                server.channel(),
                                TestCluster.QUERY,
                                CallOptions.DEFAULT,
                                query.build()));
        assertAborted(server, "runQuery", query.build());
        CommitRequest commit =
                CommitRequest.newBuilder()
                        .setProjectId("p")
                        .setMode(CommitRequest.Mode.TRANSACTIONAL)
                        .setTransaction(lost)
                        .addMutations(Mutation.newBuilder().setDelete(key("p", "x")))
                        .build();
        assertAborted(
                () ->
                        ClientCalls.blockingUnaryCall(
                                server.channel(), TestCluster.COMMIT, CallOptions.DEFAULT, commit));
        assertAborted(server, "commit", commit);
    }

    private static void assertAborted(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e ->
                                assertThat(e.getStatus().getCode())
                                        .as(e.getMessage())
                                        .isEqualTo(Status.Code.ABORTED));
    }

    private static void assertAborted(TestServer server, String method, Message request)
            throws InvalidProtocolBufferException {
        HttpResponse<String> response =
                server.post("/v1/projects/p:" + method, JsonFormat.printer().print(request));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(409);
        assertThat(response.body()).contains("\"status\":\"ABORTED\"");
    }
}
