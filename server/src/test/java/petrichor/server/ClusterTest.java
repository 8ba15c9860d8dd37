package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.server.TestCluster.begin;
import static petrichor.server.TestCluster.delete;
import static petrichor.server.TestCluster.get;
import static petrichor.server.TestCluster.in;
import static petrichor.server.TestCluster.put;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.memory.MemoryOptions;
import petrichor.server.pages.ClusterPage;

/** Tests several servers over one store, from the clients' perspective. */
final class ClusterTest {
    private static final MemoryOptions STORE = MemoryOptions.DEFAULT;
    private static final Duration LONG = Duration.ofMinutes(2);

    /** A store for each kind of commit point. */
    private static MemoryOptions store(MemoryOptions.Tier tier) {
        return STORE.withTier(tier).withoutViews();
    }

    @ParameterizedTest
    @EnumSource(names = {"A", "B", "B_PLAIN"})
    void everyServerReadsTheWritesOfTheOthers(MemoryOptions.Tier tier) {
        try (TestCluster cluster = TestCluster.start(3, store(tier))) {
            for (int i = 0; i < 12; i++) {
                String project = "p" + i;
                for (int n = 0; n < 3; n++) {
                    put(cluster.node((i + n) % 3), project, "x", n);
                    assertThat(get(cluster.node((i + n + 1) % 3), project, "x")).hasValue(n);
                }
                delete(cluster.node(i % 3), project, "x");
                assertThat(get(cluster.node((i + 2) % 3), project, "x")).isEmpty();
            }
            // The random ids of the servers determine which of them gets a database.
            for (int i = 0; i < 100 && !eachOwnsSome(cluster); i++) {
                put(cluster.node(0), "more" + i, "x", 0);
            }
            assertThat(eachOwnsSome(cluster)).as("each owns some").isTrue();
        }
    }

    private static boolean eachOwnsSome(TestCluster cluster) {
        return cluster.nodes().stream()
                .allMatch(node -> node.data().cluster().orElseThrow().metrics().owned() > 0);
    }

    @Test
    void aTransactionContinuesAtAnotherServer() {
        try (TestCluster cluster = TestCluster.start(2, STORE)) {
            TestCluster.Node one = cluster.node(0);
            TestCluster.Node other = cluster.node(1);
            put(one, "p", "x", 1);
            ByteString transaction = begin(one, "p");
            assertThat(get(other, "p", "x", in(transaction))).hasValue(1);
            put(other, "p", "y", 7);
            put(one, transaction, "p", "x", 2);
            assertThat(get(other, "p", "x")).hasValue(2);

            ByteString loser = begin(other, "p");
            assertThat(get(one, "p", "x", in(loser))).hasValue(2);
            put(one, "p", "x", 3);
            assertThatThrownBy(() -> put(other, loser, "p", "x", 4))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            failed ->
                                    assertThat(failed.getStatus().getCode())
                                            .isEqualTo(Status.Code.ABORTED));
        }
    }

    @Test
    void concurrentIncrementsAtAllServersAreNotLost() throws Exception {
        int clients = 4;
        int rounds = 15;
        try (TestCluster cluster = TestCluster.start(2, STORE);
                ExecutorService threads = Executors.newFixedThreadPool(clients)) {
            put(cluster.node(0), "p", "x", 0);
            List<Callable<Integer>> work = new ArrayList<>();
            for (int client = 0; client < clients; client++) {
                TestCluster.Node at = cluster.node(client % 2);
                TestCluster.Node then = cluster.node((client + client / 2) % 2);
                work.add(() -> raise(at, then, rounds));
            }
            for (Future<Integer> one : threads.invokeAll(work)) {
                assertThat(one.get()).isEqualTo(rounds);
            }
            assertThat(get(cluster.node(1), "p", "x")).hasValue((long) clients * rounds);
        }
    }

    private static int raise(TestCluster.Node at, TestCluster.Node then, int rounds) {
        int done = 0;
        while (done < rounds) {
            try {
                ByteString transaction = begin(at, "p");
                long now = get(then, "p", "x", in(transaction)).orElseThrow();
                put(at, transaction, "p", "x", now + 1);
                done++;
            } catch (StatusRuntimeException failed) {
                if (failed.getStatus().getCode() != Status.Code.ABORTED) {
                    throw failed;
                }
            }
        }
        return done;
    }

    @Test
    void theOwnerCreatesTheIndexThatAQueryNeeds() {
        try (TestCluster cluster = TestCluster.start(2, STORE)) {
            for (int n = 0; n < 5; n++) {
                put(cluster.node(0), "p", "x" + n, n);
            }
            RunQueryRequest.Builder request = RunQueryRequest.newBuilder().setProjectId("p");
            request.getPartitionIdBuilder().setProjectId("p");
            request.getQueryBuilder().addKindBuilder().setName("Number");
            request.getQueryBuilder()
                    .setFilter(
                            Filter.newBuilder()
                                    .setPropertyFilter(
                                            PropertyFilter.newBuilder()
                                                    .setOp(
                                                            PropertyFilter.Operator
                                                                    .GREATER_THAN_OR_EQUAL)
                                                    .setValue(Value.newBuilder().setIntegerValue(2))
                                                    .setProperty(
                                                            com.google.datastore.v1
                                                                    .PropertyReference.newBuilder()
                                                                    .setName("n"))))
                    .addOrder(order("n", PropertyOrder.Direction.DESCENDING))
                    .addOrder(order("name", PropertyOrder.Direction.ASCENDING));
            TestCluster.Node follower = cluster.other(cluster.owner("p"));
            assertThat(
                            TestCluster.query(follower, request.build())
                                    .getBatch()
                                    .getEntityResultsList())
                    .hasSize(3);
            put(follower, "p", "x9", 9);
            assertThat(
                            TestCluster.query(follower, request.build())
                                    .getBatch()
                                    .getEntityResultsList())
                    .as("the follower uses the index, too")
                    .hasSize(4);
        }
    }

    private static PropertyOrder order(String property, PropertyOrder.Direction direction) {
        PropertyOrder.Builder order = PropertyOrder.newBuilder().setDirection(direction);
        order.getPropertyBuilder().setName(property);
        return order.build();
    }

    @Test
    void everyServerAnswersRest() {
        try (TestCluster cluster = TestCluster.start(2, STORE)) {
            put(cluster.node(0), "p", "x", 1);
            TestCluster.Node follower = cluster.other(cluster.owner("p"));
            var allocated =
                    follower.server()
                            .post(
                                    "/v1/projects/p:allocateIds",
                                    "{\"keys\": [{\"path\": [{\"kind\": \"K\"}]}]}");
            assertThat(allocated.statusCode()).as(allocated.body()).isEqualTo(200);
            assertThat(allocated.body()).contains("\"id\"");
            var found =
                    follower.server()
                            .post(
                                    "/v1/projects/p:lookup",
                                    "{\"keys\": [{\"path\": [{\"kind\": \"Number\", \"name\":"
                                            + " \"x\"}]}]}");
            assertThat(found.body()).contains("\"found\"");
        }
    }

    @Test
    void aDisconnectedOwnerIsReplacedAndBecomesAFollower() {
        try (TestCluster cluster = TestCluster.start(2, STORE)) {
            put(cluster.node(0), "p", "x", 1);
            put(cluster.node(0), "q", "x", 1);
            TestCluster.Node owner = cluster.owner("p");
            TestCluster.Node other = cluster.other(owner);
            owner.ledger().mute();
            // Until its lease expires the owner continues, also with calls forwarded by the other
            // server.
            Wait.until(
                    "the other server commits as the owner",
                    LONG,
                    () -> tryPut(other, 2) && other.owns("p"));
            assertThatThrownBy(() -> get(owner, "p", "x"))
                    .as("it has no lease and does not know who has")
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            failed ->
                                    assertThat(failed.getStatus().getCode())
                                            .isEqualTo(Status.Code.UNAVAILABLE));
            assertThat(owner.server().get("/readyz").body()).contains("[-]cluster no lease");
            owner.ledger().unmute();
            Wait.until(
                    "the former owner follows",
                    LONG,
                    () -> tryGet(owner).equals(OptionalLong.of(2)));
            put(owner, "p", "x", 3);
            assertThat(get(other, "p", "x")).hasValue(3);
        }
    }

    private static boolean tryPut(TestCluster.Node at, long number) {
        try {
            put(at, "p", "x", number);
            return true;
        } catch (StatusRuntimeException failed) {
            assertThat(failed.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            return false;
        }
    }

    private static OptionalLong tryGet(TestCluster.Node at) {
        try {
            return get(at, "p", "x");
        } catch (StatusRuntimeException failed) {
            assertThat(failed.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            return OptionalLong.empty();
        }
    }

    @Test
    void concurrentReadsOfAFollowerShareAVersionRequest() throws Exception {
        int readers = 16;
        int reads = 50;
        try (TestCluster cluster = TestCluster.start(2, STORE);
                ExecutorService threads = Executors.newFixedThreadPool(readers)) {
            put(cluster.node(0), "p", "x", 1);
            TestCluster.Node follower = cluster.other(cluster.owner("p"));
            List<Callable<Boolean>> work = new ArrayList<>();
            for (int i = 0; i < readers; i++) {
                work.add(
                        () -> {
                            for (int n = 0; n < reads; n++) {
                                assertThat(get(follower, "p", "x")).hasValue(1);
                            }
                            return true;
                        });
            }
            for (Future<Boolean> one : threads.invokeAll(work)) {
                assertThat(one.get()).isTrue();
            }
            assertThat(follower.data().cluster().orElseThrow().metrics().versionQuestions())
                    .isLessThan((long) readers * reads);
        }
    }

    @Test
    void aServerWithoutTheTokenIsRefused() {
        BeginTransactionRequest begin =
                BeginTransactionRequest.newBuilder().setProjectId("p").build();
        try (TestCluster cluster = TestCluster.start(1, STORE)) {
            Channel channel = cluster.node(0).server().channel();
            for (String token : new String[] {"", "a guess"}) {
                assertThat(PretendedPeer.forward(channel, "BeginTransaction", begin, token, ""))
                        .isEqualTo(Status.Code.UNAUTHENTICATED);
            }
            assertThat(
                            PretendedPeer.forward(
                                    channel, "BeginTransaction", begin, "only servers know", ""))
                    .isEqualTo(Status.Code.OK);
        }
    }

    @Test
    void theClusterPageListsServersAndTheirDatabases() {
        try (TestCluster cluster = TestCluster.start(2, STORE)) {
            put(cluster.node(0), "p", "x", 1);
            String page = cluster.node(1).server().get(ClusterPage.PATH).body();
            for (TestCluster.Node node : cluster.nodes()) {
                assertThat(page).contains("127.0.0.1:" + node.server().port());
            }
            assertThat(page).contains("\"name\":\"p\"");
            // A server discovers another one at its next heartbeat.
            Wait.until(
                    "both are seen",
                    LONG,
                    () ->
                            cluster.node(0)
                                    .server()
                                    .get("/metrics")
                                    .body()
                                    .contains("petrichor_cluster_members 2.0"));
        }
    }
}
