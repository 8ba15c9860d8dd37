package petrichor.server;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.BeginTransactionResponse;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.datastore.v1.TransactionOptions;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import petrichor.base.TimeSource;
import petrichor.coordination.Coordination;
import petrichor.coordination.embedded.EmbeddedLedger;
import petrichor.coordination.testkit.DisconnectedLedger;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.server.config.ServerConfig;
import petrichor.server.data.Data;
import petrichor.transactions.log.RoutedStores;

/**
 * Several servers in this process over one in-memory store, each with its own connection to the
 * ledger, which can be cut. Each entity has one number.
 */
final class TestCluster implements AutoCloseable {
    /** Long enough for pauses of some seconds. Each takeover in a test takes this long. */
    private static final Duration LEASE = Duration.ofSeconds(6);

    /** Never connected: the ledger is in this process. */
    private static final StoreUrl NOWHERE = StoreUrl.parse("zookeeper://127.0.0.1/test");

    static final MethodDescriptor<CommitRequest, CommitResponse> COMMIT =
            TestServer.method(
                    "Commit",
                    CommitRequest.getDefaultInstance(),
                    CommitResponse.getDefaultInstance());
    static final MethodDescriptor<BeginTransactionRequest, BeginTransactionResponse> BEGIN =
            TestServer.method(
                    "BeginTransaction",
                    BeginTransactionRequest.getDefaultInstance(),
                    BeginTransactionResponse.getDefaultInstance());
    static final MethodDescriptor<RunQueryRequest, RunQueryResponse> QUERY =
            TestServer.method(
                    "RunQuery",
                    RunQueryRequest.getDefaultInstance(),
                    RunQueryResponse.getDefaultInstance());

    /** A server and its connection to the ledger. */
    record Node(TestServer server, Data data, DisconnectedLedger ledger) {
        boolean owns(String database) {
            return data.cluster().orElseThrow().statuses().stream()
                    .filter(status -> status.self())
                    .flatMap(status -> status.holdings().stream())
                    .anyMatch(holding -> holding.name().equals(database));
        }
    }

    private final KeyValueStore store;
    private final UnaryOperator<ServerConfig> change;
    private final EmbeddedLedger ledger = new EmbeddedLedger();
    private final List<Node> nodes = new ArrayList<>();

    private TestCluster(KeyValueStore store, UnaryOperator<ServerConfig> change) {
        this.store = store;
        this.change = change;
    }

    static TestCluster start(int servers, MemoryOptions options) {
        return start(servers, options, config -> config);
    }

    static TestCluster start(
            int servers, MemoryOptions options, UnaryOperator<ServerConfig> change) {
        TestCluster cluster = new TestCluster(MemoryStore.open(options), change);
        for (int i = 0; i < servers; i++) {
            cluster.join();
        }
        cluster.awaitAllKnowAll();
        return cluster;
    }

    /** Starts another server. */
    Node join() {
        DisconnectedLedger connection = new DisconnectedLedger(ledger);
        ServerConfig.Cluster together =
                new ServerConfig.Cluster(
                        Optional.of(NOWHERE),
                        Optional.empty(),
                        Optional.of("only servers know"),
                        Optional.empty(),
                        LEASE,
                        true);
        ServerConfig config =
                change.apply(ServerConfig.defaults().withPort(0).withCluster(together));
        Data data =
                Data.on(
                        RoutedStores.of(new BorrowedStore(store)),
                        Optional.of(new Coordination(connection, TimeSource.SYSTEM)),
                        config,
                        List.of());
        Node node = new Node(TestServer.of(Server.start(config, data)), data, connection);
        nodes.add(node);
        return node;
    }

    /** The first server discovers the others at its next heartbeat. */
    private void awaitAllKnowAll() {
        for (Node node : nodes) {
            Wait.until(
                    "a server knows all of them",
                    Duration.ofSeconds(60),
                    () -> node.data().cluster().orElseThrow().metrics().members() == nodes.size());
        }
    }

    Node node(int number) {
        return nodes.get(number);
    }

    List<Node> nodes() {
        return nodes;
    }

    Node owner(String database) {
        return nodes.stream().filter(node -> node.owns(database)).findFirst().orElseThrow();
    }

    Node other(Node than) {
        return nodes.stream().filter(node -> !node.equals(than)).findFirst().orElseThrow();
    }

    // ---- as a client

    static Key key(String project, String name) {
        Key.Builder key = Key.newBuilder();
        key.getPartitionIdBuilder().setProjectId(project);
        key.addPathBuilder().setKind("Number").setName(name);
        return key.build();
    }

    private static Mutation upsert(String project, String name, long number) {
        Entity.Builder entity = Entity.newBuilder().setKey(key(project, name));
        entity.putProperties("n", Value.newBuilder().setIntegerValue(number).build());
        entity.putProperties("name", Value.newBuilder().setStringValue(name).build());
        return Mutation.newBuilder().setUpsert(entity).build();
    }

    static void put(Node at, String project, String name, long number) {
        commit(at, put(project, name, number));
    }

    static CommitRequest put(String project, String name, long number) {
        return CommitRequest.newBuilder()
                .setProjectId(project)
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                .addMutations(upsert(project, name, number))
                .build();
    }

    static void delete(Node at, String project, String name) {
        commit(
                at,
                CommitRequest.newBuilder()
                        .setProjectId(project)
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                        .addMutations(Mutation.newBuilder().setDelete(key(project, name)))
                        .build());
    }

    static CommitResponse commit(Node at, CommitRequest request) {
        return ClientCalls.blockingUnaryCall(
                at.server().channel(), COMMIT, CallOptions.DEFAULT, request);
    }

    static OptionalLong get(Node at, String project, String name) {
        return get(at, project, name, ReadOptions.getDefaultInstance());
    }

    static OptionalLong get(Node at, String project, String name, ReadOptions options) {
        LookupRequest.Builder lookup = lookup(project, name).toBuilder();
        return number(at.server().lookup(lookup.setReadOptions(options).build()));
    }

    static LookupRequest lookup(String project, String name) {
        return LookupRequest.newBuilder().setProjectId(project).addKeys(key(project, name)).build();
    }

    /** The number of the first entity found. */
    static OptionalLong number(LookupResponse response) {
        return response.getFoundList().stream()
                .mapToLong(found -> found.getEntity().getPropertiesOrThrow("n").getIntegerValue())
                .findFirst();
    }

    static ByteString begin(Node at, String project) {
        return ClientCalls.blockingUnaryCall(
                        at.server().channel(),
                        BEGIN,
                        CallOptions.DEFAULT,
                        BeginTransactionRequest.newBuilder()
                                .setProjectId(project)
                                .setTransactionOptions(
                                        TransactionOptions.newBuilder()
                                                .setReadWrite(
                                                        TransactionOptions.ReadWrite
                                                                .getDefaultInstance()))
                                .build())
                .getTransaction();
    }

    static ReadOptions in(ByteString transaction) {
        return ReadOptions.newBuilder().setTransaction(transaction).build();
    }

    static CommitResponse put(
            Node at, ByteString transaction, String project, String name, long number) {
        return commit(
                at,
                CommitRequest.newBuilder()
                        .setProjectId(project)
                        .setMode(CommitRequest.Mode.TRANSACTIONAL)
                        .setTransaction(transaction)
                        .addMutations(upsert(project, name, number))
                        .build());
    }

    static RunQueryResponse query(Node at, RunQueryRequest request) {
        return ClientCalls.blockingUnaryCall(
                at.server().channel(), QUERY, CallOptions.DEFAULT, request);
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.ledger().unmute());
        nodes.forEach(node -> node.server().close());
        store.close();
    }
}
