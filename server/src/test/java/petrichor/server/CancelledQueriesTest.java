package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.datastore.v1.AggregationQuery;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunAggregationQueryResponse;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.Direction;
import petrichor.kv.ForwardingStore;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.server.config.ServerConfig;
import petrichor.server.data.Data;

/** Tests that an aggregation stops reading when its client disconnects. */
class CancelledQueriesTest {
    private static final int COMMITS = 20;
    private static final int ENTITIES_PER_COMMIT = 500;
    private static final int ENTITIES = COMMITS * ENTITIES_PER_COMMIT;
    private static final int PAUSE_AT_ROW = 300;

    private static final MethodDescriptor<RunAggregationQueryRequest, RunAggregationQueryResponse>
            AGGREGATE =
                    TestServer.method(
                            "RunAggregationQuery",
                            RunAggregationQueryRequest.getDefaultInstance(),
                            RunAggregationQueryResponse.getDefaultInstance());

    @Test
    void anAggregationStopsWhenItsGrpcClientCancels() throws Exception {
        PausingStore store = new PausingStore();
        ServerConfig config = ServerConfig.defaults().withMemory().withPort(0);
        Data data = Data.on(store, config, List.of());
        try (TestServer server = TestServer.of(Server.start(config, data))) {
            for (int i = 0; i < COMMITS; i++) {
                put(server, i);
            }
            store.pausing = true;
            ListenableFuture<RunAggregationQueryResponse> counting =
                    ClientCalls.futureUnaryCall(
                            server.channel().newCall(AGGREGATE, CallOptions.DEFAULT), count());
            assertThat(store.paused.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(counting.cancel(true)).isTrue();
            Wait.until(
                    "the server knows that the client has left",
                    Duration.ofSeconds(60),
                    () -> server.get("/metrics").body().contains("code=\"CANCELLED\""));
            store.goOn.countDown();
            server.awaitMetrics("petrichor_memory_bytes{share=\"requests-small\"} 0.0");
            assertThat(store.rows.get()).isLessThan(ENTITIES / 2);
        }
    }

    private static RunAggregationQueryRequest count() {
        AggregationQuery.Builder query = AggregationQuery.newBuilder();
        query.setNestedQuery(
                Query.newBuilder().addKind(KindExpression.newBuilder().setName("Number")));
        query.addAggregationsBuilder().setAlias("n").getCountBuilder();
        return RunAggregationQueryRequest.newBuilder()
                .setProjectId("p")
                .setAggregationQuery(query)
                .build();
    }

    private static void put(TestServer server, int number) {
        CommitRequest.Builder commit =
                CommitRequest.newBuilder()
                        .setProjectId("p")
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
        for (int i = 0; i < ENTITIES_PER_COMMIT; i++) {
            commit.addMutationsBuilder()
                    .getUpsertBuilder()
                    .setKey(TestCluster.key("p", number + "-" + i));
        }
        var _ =
                ClientCalls.blockingUnaryCall(
                        server.channel(), TestCluster.COMMIT, CallOptions.DEFAULT, commit.build());
    }

    /** A store whose scans can be blocked. */
    private static final class PausingStore extends ForwardingStore {
        private final CountDownLatch paused = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final AtomicInteger rows = new AtomicInteger();
        private volatile boolean pausing;

        PausingStore() {
            super(MemoryStore.open(MemoryOptions.DEFAULT.withoutViews()));
        }

        @Override
        public Scan scan(String table, KeyRange range, Direction direction, int limit) {
            Scan scan = super.scan(table, range, direction, limit);
            return pausing && table.equals("rows") ? new Pausing(scan) : scan;
        }

        private final class Pausing implements Scan {
            private final Scan scan;

            Pausing(Scan scan) {
                this.scan = scan;
            }

            @Override
            public boolean next() {
                if (rows.incrementAndGet() == PAUSE_AT_ROW) {
                    paused.countDown();
                    try {
                        assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
                    } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                    }
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
