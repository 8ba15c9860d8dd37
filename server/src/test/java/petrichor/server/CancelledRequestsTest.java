package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.server.TestCluster.get;
import static petrichor.server.TestCluster.in;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.RollbackRequest;
import com.google.datastore.v1.RollbackResponse;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.grpc.CallOptions;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.memory.MemoryOptions;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;

/** Tests that commits waiting for a lock end when their client disconnects, and are not applied. */
class CancelledRequestsTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    /** Only a disconnect of the client ends a wait. */
    private static final ServerConfig PATIENT =
            ServerConfig.of(
                    Settings.read(
                            Optional.empty(),
                            Map.of(
                                    "PETRICHOR_TRANSACTIONS__CONCURRENCY", "pessimistic",
                                    "PETRICHOR_TRANSACTIONS__LOCK_WAIT", "10m",
                                    "PETRICHOR_TRANSACTIONS__IDLE_TIMEOUT", "10m",
                                    "PETRICHOR_TRANSACTIONS__TOTAL_TIMEOUT", "20m",
                                    "PETRICHOR_LIMITS__EXECUTION_TIMEOUT", "10m"),
                            Map.of()));

    @Test
    void aCommitEndsWhenItsGrpcClientCancels() throws Exception {
        try (TestCluster cluster = cluster(1)) {
            TestCluster.Node node = cluster.node(0);
            ByteString holder = lock(node);
            ListenableFuture<CommitResponse> waiting =
                    ClientCalls.futureUnaryCall(
                            node.server()
                                    .channel()
                                    .newCall(TestCluster.COMMIT, CallOptions.DEFAULT),
                            put(2));
            awaitLockWaits(node, 1);
            assertThat(waiting.cancel(true)).isTrue();
            assertGivenUp(node, holder);
        }
    }

    @Test
    void aCommitEndsWhenItsGrpcDeadlinePasses() {
        try (TestCluster cluster = cluster(1)) {
            TestCluster.Node node = cluster.node(0);
            ByteString holder = lock(node);
            CallOptions soon = CallOptions.DEFAULT.withDeadlineAfter(300, TimeUnit.MILLISECONDS);
            assertThatThrownBy(
                            () ->
                                    ClientCalls.blockingUnaryCall(
                                            node.server().channel(),
                                            TestCluster.COMMIT,
                                            soon,
                                            put(2)))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            late ->
                                    assertThat(late.getStatus().getCode())
                                            .isEqualTo(Status.Code.DEADLINE_EXCEEDED));
            assertGivenUp(node, holder);
        }
    }

    @Test
    void aCommitEndsWhenItsHttpClientDisconnects() throws IOException {
        try (TestCluster cluster = cluster(1)) {
            TestCluster.Node node = cluster.node(0);
            ByteString holder = lock(node);
            try (Socket client = node.server().connect()) {
                byte[] body = json(put(2)).getBytes(StandardCharsets.UTF_8);
                client.getOutputStream()
                        .write(
                                ("POST /v1/projects/p:commit HTTP/1.1\r\nHost: localhost\r\n"
                                                + "Content-Type: application/json\r\n"
                                                + "Content-Length: "
                                                + body.length
                                                + "\r\n\r\n")
                                        .getBytes(StandardCharsets.US_ASCII));
                client.getOutputStream().write(body);
                awaitLockWaits(node, 1);
            }
            assertGivenUp(node, holder);
        }
    }

    @Test
    void aForwardedCommitEndsAtTheOwnerWhenItsClientCancels() throws Exception {
        try (TestCluster cluster = cluster(2)) {
            ByteString holder = lock(cluster.node(0));
            TestCluster.Node owner = cluster.owner("p");
            TestCluster.Node other = cluster.other(owner);
            for (int bytes : new int[] {10, 100_000}) {
                ListenableFuture<CommitResponse> waiting =
                        ClientCalls.futureUnaryCall(
                                other.server()
                                        .channel()
                                        .newCall(TestCluster.COMMIT, CallOptions.DEFAULT),
                                put(2, bytes));
                awaitLockWaits(owner, 1);
                assertThat(waiting.cancel(true)).isTrue();
                awaitLockWaits(owner, 0);
            }
            assertGivenUp(owner, holder);
        }
    }

    private static TestCluster cluster(int servers) {
        return TestCluster.start(
                servers,
                MemoryOptions.DEFAULT,
                config ->
                        config.withTransactions(PATIENT.transactions())
                                .withLimits(PATIENT.limits()));
    }

    /** A transaction that has read the entity, whose number is 1. */
    private static ByteString lock(TestCluster.Node node) {
        TestCluster.put(node, "p", "x", 1);
        ByteString holder =
                ClientCalls.blockingUnaryCall(
                                node.server().channel(),
                                TestCluster.BEGIN,
                                CallOptions.DEFAULT,
                                BeginTransactionRequest.newBuilder().setProjectId("p").build())
                        .getTransaction();
        assertThat(get(node, "p", "x", in(holder))).hasValue(1);
        return holder;
    }

    /** The wait ends while the lock is still held, and nothing is written after its release. */
    private static void assertGivenUp(TestCluster.Node node, ByteString holder) {
        awaitLockWaits(node, 0);
        var _ =
                ClientCalls.blockingUnaryCall(
                        node.server().channel(),
                        TestServer.method(
                                "Rollback",
                                RollbackRequest.getDefaultInstance(),
                                RollbackResponse.getDefaultInstance()),
                        CallOptions.DEFAULT,
                        RollbackRequest.newBuilder()
                                .setProjectId("p")
                                .setTransaction(holder)
                                .build());
        TestCluster.put(node, "p", "other", 1);
        assertThat(get(node, "p", "x")).hasValue(1);
    }

    private static void awaitLockWaits(TestCluster.Node node, int waits) {
        String line = "petrichor_transactions_lock_waits " + waits + ".0\n";
        Wait.until(line, LONG, () -> node.server().get("/metrics").body().contains("\n" + line));
    }

    private static CommitRequest put(long number) {
        return put(number, 1);
    }

    private static CommitRequest put(long number, int bytes) {
        Entity.Builder entity = Entity.newBuilder().setKey(TestCluster.key("p", "x"));
        entity.putProperties("n", Value.newBuilder().setIntegerValue(number).build());
        entity.putProperties(
                "filling",
                Value.newBuilder()
                        .setStringValue("x".repeat(bytes))
                        .setExcludeFromIndexes(true)
                        .build());
        return CommitRequest.newBuilder()
                .setProjectId("p")
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                .addMutations(Mutation.newBuilder().setUpsert(entity))
                .build();
    }

    private static String json(CommitRequest request) {
        try {
            return JsonFormat.printer().print(request);
        } catch (InvalidProtocolBufferException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
