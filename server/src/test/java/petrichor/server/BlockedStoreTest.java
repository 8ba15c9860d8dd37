package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.AggregationQuery;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunAggregationQueryResponse;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.base.Cancellation;
import petrichor.coordination.testkit.Wait;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.kv.Direction;
import petrichor.kv.ForwardingStore;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;
import petrichor.server.data.Data;

/** Tests a server whose store does not return from its calls. */
class BlockedStoreTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int ENTITIES = 2_000;
    private static final int STOP_AT_ROW = 300;

    /** For pages that read the store. */
    private static final int PAGE_THREADS = 8;

    private static final FrontEndSettings.Execution THREADS =
            FrontEndSettings.Execution.forThisMachine();

    @Test
    void healthAndMetricsAnswerWhileEveryOtherThreadIsBlocked() throws Exception {
        Blocking store = new Blocking();
        ServerConfig config = ServerConfig.defaults().withMemory().withPort(0);
        try (TestServer server =
                TestServer.of(Server.start(config, Data.on(store, config, List.of())))) {
            server.put("p", "known", 1);
            store.blocks = true;
            List<Future<LookupResponse>> reads = new ArrayList<>();
            for (int i = 0; i < 2 * THREADS.readThreads(); i++) {
                reads.add(
                        ClientCalls.futureUnaryCall(
                                server.channel().newCall(TestServer.LOOKUP, CallOptions.DEFAULT),
                                TestCluster.lookup("p", "read" + i)));
            }
            List<Future<CommitResponse>> writes = new ArrayList<>();
            for (int i = 0; i < 2 * THREADS.writeThreads(); i++) {
                writes.add(
                        ClientCalls.futureUnaryCall(
                                server.channel().newCall(TestCluster.COMMIT, CallOptions.DEFAULT),
                                TestCluster.put("p", "written" + i, i)));
            }
            List<CompletableFuture<HttpResponse<String>>> pages = new ArrayList<>();
            for (int i = 0; i < 2 * PAGE_THREADS; i++) {
                pages.add(
                        server.sendLater(
                                server.request("/petrichor/v1/databases"),
                                HttpResponse.BodyHandlers.ofString()));
            }
            int threads = THREADS.readThreads() + THREADS.writeThreads() + PAGE_THREADS;
            Wait.until("all threads are blocked", LONG, () -> store.waiting.get() == threads);
            assertThat(answer(server, "/livez").statusCode()).isEqualTo(200);
            assertThat(answer(server, "/readyz").statusCode()).isEqualTo(200);
            assertThat(answer(server, "/metrics").body())
                    .contains(
                            "\npetrichor_requests_running "
                                    + (reads.size() + writes.size())
                                    + ".0");
            store.goOn.countDown();
            for (Future<LookupResponse> read : reads) {
                assertThat(read.get(1, TimeUnit.MINUTES).getMissingCount()).isEqualTo(1);
            }
            for (Future<CommitResponse> write : writes) {
                assertThat(write.get(1, TimeUnit.MINUTES).getMutationResultsCount()).isEqualTo(1);
            }
            for (CompletableFuture<HttpResponse<String>> page : pages) {
                assertThat(page.get(1, TimeUnit.MINUTES).statusCode()).isEqualTo(200);
            }
        }
    }

    private static HttpResponse<String> answer(TestServer server, String path) {
        return server.send(server.request(path).timeout(LONG));
    }

    @Test
    void aQueryWithoutADeadlineEndsAfterTheExecutionTimeoutAndReturnsItsMemory() {
        assertEndsAfterTheExecutionTimeout(
                server -> {
                    HttpResponse<String> answer =
                            server.send(
                                    server.request("/v1/projects/p:runAggregationQuery")
                                            .timeout(LONG)
                                            .header("Content-Type", "application/json")
                                            .POST(HttpRequest.BodyPublishers.ofString(COUNT)));
                    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(504);
                    assertThat(answer.body())
                            .contains("DEADLINE_EXCEEDED")
                            .contains("deadline passed");
                });
    }

    @Test
    void aGrpcCallWithoutADeadlineEndsAfterTheExecutionTimeoutAndReturnsItsMemory() {
        RunAggregationQueryRequest.Builder count =
                RunAggregationQueryRequest.newBuilder().setProjectId("p");
        count.getAggregationQueryBuilder()
                .getNestedQueryBuilder()
                .addKindBuilder()
                .setName("Number");
        count.getAggregationQueryBuilder()
                .addAggregationsBuilder()
                .setCount(AggregationQuery.Aggregation.Count.getDefaultInstance());
        assertEndsAfterTheExecutionTimeout(
                server ->
                        assertThatThrownBy(
                                        () ->
                                                ClientCalls.blockingUnaryCall(
                                                        server.channel(),
                                                        AGGREGATE,
                                                        CallOptions.DEFAULT,
                                                        count.build()))
                                .hasMessageContaining("DEADLINE_EXCEEDED")
                                .hasMessageContaining("deadline passed"));
    }

    private static void assertEndsAfterTheExecutionTimeout(Consumer<TestServer> query) {
        Blocking store = new Blocking();
        ServerConfig limited =
                ServerConfig.of(
                        Settings.read(
                                Optional.empty(),
                                Map.of("PETRICHOR_LIMITS__EXECUTION_TIMEOUT", "1s"),
                                Map.of()));
        ServerConfig config =
                ServerConfig.defaults().withMemory().withPort(0).withLimits(limited.limits());
        try (TestServer server =
                TestServer.of(Server.start(config, Data.on(store, config, List.of())))) {
            fill(server);
            store.slow = true;
            query.accept(server);
            assertThat(store.rows.get()).isLessThan(ENTITIES / 2);
            server.awaitMetrics(
                    "petrichor_memory_bytes{share=\"requests-small\"} 0.0",
                    "petrichor_memory_bytes{share=\"requests-large\"} 0.0",
                    "petrichor_memory_bytes{share=\"responses\"} 0.0",
                    "petrichor_request_buffered_bytes 0.0",
                    "petrichor_requests_running 0.0");
        }
    }

    private static final MethodDescriptor<RunAggregationQueryRequest, RunAggregationQueryResponse>
            AGGREGATE =
                    TestServer.method(
                            "RunAggregationQuery",
                            RunAggregationQueryRequest.getDefaultInstance(),
                            RunAggregationQueryResponse.getDefaultInstance());

    private static final String COUNT =
            """
            {"aggregationQuery": {"nestedQuery": {"kind": [{"name": "Number"}]},
             "aggregations": [{"alias": "n", "count": {}}]}}\
            """;

    private static void fill(TestServer server) {
        for (int commits = 0; commits < ENTITIES / 500; commits++) {
            CommitRequest.Builder commit =
                    CommitRequest.newBuilder()
                            .setProjectId("p")
                            .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
            for (int i = 0; i < 500; i++) {
                commit.addMutationsBuilder()
                        .getUpsertBuilder()
                        .setKey(TestCluster.key("p", commits + "-" + i));
            }
            var _ =
                    ClientCalls.blockingUnaryCall(
                            server.channel(),
                            TestCluster.COMMIT,
                            CallOptions.DEFAULT,
                            commit.build());
        }
    }

    /** Blocks reads, or one scan until the deadline of its request has passed. */
    private static final class Blocking extends ForwardingStore {
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final AtomicInteger waiting = new AtomicInteger();
        private final AtomicInteger rows = new AtomicInteger();
        private volatile boolean blocks;
        private volatile boolean slow;

        Blocking() {
            super(MemoryStore.open(MemoryOptions.DEFAULT.withoutViews()));
        }

        private void block() {
            if (blocks) {
                waiting.incrementAndGet();
                try {
                    assertThat(goOn.await(2, TimeUnit.MINUTES)).isTrue();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public byte @Nullable [] get(String table, byte[] key) {
            block();
            return super.get(table, key);
        }

        @Override
        public List<byte @Nullable []> get(String table, List<byte[]> keys) {
            block();
            return super.get(table, keys);
        }

        @Override
        public Scan scan(String table, KeyRange range, Direction direction, int limit) {
            block();
            Scan scan = super.scan(table, range, direction, limit);
            return slow && table.equals("rows") ? new Slow(scan) : scan;
        }

        private final class Slow implements Scan {
            private final Scan scan;

            Slow(Scan scan) {
                this.scan = scan;
            }

            @Override
            public boolean next() {
                if (rows.incrementAndGet() == STOP_AT_ROW) {
                    Cancellation request = Cancellation.current();
                    Wait.until(
                            "the deadline has passed",
                            LONG,
                            () -> request != null && request.remainingNanos() <= 0);
                }
                return scan.next();
            }

            @Override
            public byte[] key() {
                return scan.key();
            }

            @Override
            public byte[] value() {
                return scan.value();
            }

            @Override
            public void close() {
                scan.close();
            }
        }
    }
}
