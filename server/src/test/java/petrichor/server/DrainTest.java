package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RollbackRequest;
import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.entities.Datastore;
import petrichor.entities.ReadContexts;
import petrichor.server.config.ServerConfig;

/** Tests a running request while its server stops: a write that waits for a reader's lock. */
@Timeout(120)
class DrainTest {
    private static final Key KEY =
            Key.newBuilder().addPath(Key.PathElement.newBuilder().setKind("Kind").setId(1)).build();
    private static final CommitRequest COMMIT =
            CommitRequest.newBuilder()
                    .setProjectId("p")
                    .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                    .addMutations(Mutation.newBuilder().setUpsert(Entity.newBuilder().setKey(KEY)))
                    .build();
    private static final Duration AMPLE = Duration.ofSeconds(50);

    @Test
    void aRunningRequestOverRestIsAnsweredBeforeTheEnd() throws Exception {
        try (TestServer server = TestServer.start(config -> pessimistic(config, AMPLE))) {
            ByteString holder = lock(server);
            CompletableFuture<HttpResponse<byte[]>> waiting = commitOverRest(server);
            CompletableFuture<Void> closed = close(server);
            assertThat(waiting).isNotDone();
            release(server, holder);
            HttpResponse<byte[]> answer = waiting.get();
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("connection")).hasValue("close");
            assertThat(CommitResponse.parseFrom(answer.body()).getMutationResultsCount())
                    .isEqualTo(1);
            closed.get();
        }
    }

    @Test
    void aRunningCallOverGrpcIsAnsweredBeforeTheEnd() throws Exception {
        try (TestServer server = TestServer.start(config -> pessimistic(config, AMPLE))) {
            ByteString holder = lock(server);
            CompletableFuture<CommitResponse> waiting =
                    CompletableFuture.supplyAsync(
                            () ->
                                    ClientCalls.blockingUnaryCall(
                                            server.channel(),
                                            TestServer.method(
                                                    "Commit",
                                                    COMMIT,
                                                    CommitResponse.getDefaultInstance()),
                                            CallOptions.DEFAULT,
                                            COMMIT),
                            Thread::startVirtualThread);
            awaitRunning(server);
            CompletableFuture<Void> closed = close(server);
            assertThat(waiting).isNotDone();
            release(server, holder);
            assertThat(waiting.get().getMutationResultsCount()).isEqualTo(1);
            closed.get();
        }
    }

    @Test
    void aRequestThatDoesNotEndIsCutOff() throws Exception {
        Duration timeout = Duration.ofMillis(200);
        try (TestServer server = TestServer.start(config -> pessimistic(config, timeout))) {
            var _ = lock(server);
            CompletableFuture<HttpResponse<byte[]>> waiting = commitOverRest(server);
            close(server).get(60, TimeUnit.SECONDS);
            assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(IOException.class);
        }
    }

    private static ServerConfig pessimistic(ServerConfig config, Duration timeout) {
        return new ServerConfig(
                new ServerConfig.Listen("127.0.0.1", 0, false, timeout),
                config.store(),
                config.cluster(),
                config.auth(),
                config.tls(),
                config.indexes(),
                new ServerConfig.Transactions(
                        ReadContexts.Concurrency.PESSIMISTIC,
                        AMPLE,
                        config.transactions().idleTimeout(),
                        config.transactions().totalTimeout(),
                        config.transactions().retention(),
                        config.transactions().consumerHold()),
                config.jobs(),
                config.apps(),
                config.limits(),
                config.log());
    }

    /** A transaction that holds the lock. */
    private static ByteString lock(TestServer server) {
        Datastore datastore = server.server().datastore();
        ByteString transaction =
                datastore
                        .beginTransaction(
                                BeginTransactionRequest.newBuilder().setProjectId("p").build())
                        .getTransaction();
        var _ =
                datastore.lookup(
                        LookupRequest.newBuilder()
                                .setProjectId("p")
                                .setReadOptions(
                                        ReadOptions.newBuilder().setTransaction(transaction))
                                .addKeys(KEY)
                                .build());
        return transaction;
    }

    private static void release(TestServer server, ByteString transaction) {
        var _ =
                server.server()
                        .datastore()
                        .rollback(
                                RollbackRequest.newBuilder()
                                        .setProjectId("p")
                                        .setTransaction(transaction)
                                        .build());
    }

    private static CompletableFuture<HttpResponse<byte[]>> commitOverRest(TestServer server) {
        CompletableFuture<HttpResponse<byte[]>> answer =
                server.sendLater(
                        server.request("/v1/projects/p:commit")
                                .header("Content-Type", "application/x-protobuf")
                                .POST(HttpRequest.BodyPublishers.ofByteArray(COMMIT.toByteArray())),
                        HttpResponse.BodyHandlers.ofByteArray());
        awaitRunning(server);
        return answer;
    }

    private static void awaitRunning(TestServer server) {
        while (!server.get("/metrics").body().contains("petrichor_requests_running 1.0\n")) {
            Thread.onSpinWait(); // the time limit of the class ends this
        }
    }

    /** Returns when the server accepts no new connections. */
    private static CompletableFuture<Void> close(TestServer server) {
        int port = server.port();
        CompletableFuture<Void> closed =
                CompletableFuture.runAsync(
                        () -> server.server().close(), Thread::startVirtualThread);
        while (TestServer.listens(port)) {
            Thread.onSpinWait();
        }
        return closed;
    }
}
