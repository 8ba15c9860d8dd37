package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.coordination.testkit.Wait;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.kv.memory.MemoryOptions;
import petrichor.rpc.CertificateAuthority;
import petrichor.rpc.PeerCertificates;
import petrichor.server.config.ServerConfig;

/** Tests mutual TLS between servers, on the port that they share with clients. */
final class ClusterTlsTest {
    private static final int DAYS = 30;
    private static final int PROJECTS = 8;

    /** A call of this size is sent separately between servers, not on their stream. */
    private static final int LARGE = 500_000;

    @TempDir private Path folder;
    private final List<ManagedChannel> channels = new ArrayList<>();
    private CertificateAuthority authority;
    private PeerCertificates.Files files;

    @BeforeEach
    void create() {
        authority = CertificateAuthority.openOrCreate(folder.resolve("authority"), DAYS);
        CertificateAuthority.Issued issued = authority.issue("server", DAYS);
        files =
                new PeerCertificates.Files(
                        issued.certificate(), issued.key(), authority.certificate());
    }

    @AfterEach
    void close() {
        channels.forEach(ManagedChannel::shutdownNow);
    }

    private ServerConfig withCertificates(ServerConfig config) {
        ServerConfig.Cluster cluster = config.cluster();
        return config.withAuth(
                        new ServerConfig.Access(
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Duration.ofMillis(50)))
                .withCluster(
                        new ServerConfig.Cluster(
                                cluster.coordination(),
                                cluster.address(),
                                Optional.empty(),
                                Optional.of(files),
                                cluster.lease(),
                                cluster.rebalance()));
    }

    private ServerConfig withTlsForClientsToo(ServerConfig config) {
        return withCertificates(config)
                .withTls(
                        new FrontEndSettings.Tls(resource("certificate.pem"), resource("key.pem")));
    }

    private static Path resource(String name) {
        try {
            return Path.of(Objects.requireNonNull(ClusterTlsTest.class.getResource(name)).toURI());
        } catch (URISyntaxException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private ManagedChannel clearText(TestCluster.Node node) {
        return opened(
                NettyChannelBuilder.forAddress("127.0.0.1", node.server().port()).usePlaintext());
    }

    private ManagedChannel encrypted(TestCluster.Node node) {
        try {
            return opened(
                    NettyChannelBuilder.forAddress("127.0.0.1", node.server().port())
                            .overrideAuthority("localhost")
                            .sslContext(
                                    GrpcSslContexts.forClient()
                                            .trustManager(resource("certificate.pem").toFile())
                                            .build()));
        } catch (SSLException failed) {
            throw new AssertionError(failed);
        }
    }

    private ManagedChannel opened(NettyChannelBuilder builder) {
        ManagedChannel channel = builder.build();
        channels.add(channel);
        return channel;
    }

    @Test
    void clientsInClearTextAndPeersWithCertificatesShareAPort() {
        try (TestCluster cluster =
                TestCluster.start(2, MemoryOptions.DEFAULT, this::withCertificates)) {
            assertAllAnswer(
                    List.of(clearText(cluster.node(0)), clearText(cluster.node(1))), cluster);
            assertRefused(clearText(cluster.node(0)));
        }
    }

    @Test
    void clientsAndPeersHaveDifferentCertificatesOnOnePort() {
        try (TestCluster cluster =
                TestCluster.start(2, MemoryOptions.DEFAULT, this::withTlsForClientsToo)) {
            assertAllAnswer(
                    List.of(encrypted(cluster.node(0)), encrypted(cluster.node(1))), cluster);
            assertRefused(encrypted(cluster.node(0)));
        }
    }

    @Test
    void renewedCertificatesAreUsedWithoutARestart() throws Exception {
        try (TestCluster cluster =
                TestCluster.start(2, MemoryOptions.DEFAULT, this::withCertificates)) {
            String before = expiry(cluster.node(0));
            authority.issue("server", 2 * DAYS);
            Wait.until(
                    "the renewed certificate is loaded",
                    Duration.ofSeconds(60),
                    () -> !expiry(cluster.node(0)).equals(before));
            TestCluster.Node third = cluster.join();
            Wait.until(
                    "the third is known",
                    Duration.ofSeconds(60),
                    () -> third.data().cluster().orElseThrow().metrics().members() == 3);
            assertAllAnswer(
                    List.of(
                            clearText(cluster.node(0)),
                            clearText(cluster.node(1)),
                            clearText(third)),
                    cluster);
        }
    }

    private static String expiry(TestCluster.Node node) {
        return node.server()
                .get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("petrichor_cluster_certificate_expiry_seconds "))
                .findFirst()
                .orElseThrow();
    }

    /** Every client can use every database through every server. */
    private static void assertAllAnswer(List<ManagedChannel> servers, TestCluster cluster) {
        for (int i = 0; i < PROJECTS; i++) {
            String project = "p" + i;
            for (int size : new int[] {10, LARGE}) {
                CommitResponse written =
                        ClientCalls.blockingUnaryCall(
                                servers.get(i % servers.size()),
                                TestCluster.COMMIT,
                                CallOptions.DEFAULT,
                                commit(project, size));
                assertThat(written.getMutationResultsCount()).isEqualTo(1);
                for (ManagedChannel server : servers) {
                    assertThat(
                                    ClientCalls.blockingUnaryCall(
                                                    server,
                                                    TestServer.LOOKUP,
                                                    CallOptions.DEFAULT,
                                                    LookupRequest.newBuilder()
                                                            .setProjectId(project)
                                                            .addKeys(key(project))
                                                            .build())
                                            .getFound(0)
                                            .getEntity()
                                            .getPropertiesOrThrow("text")
                                            .getStringValue())
                            .hasSize(size);
                }
            }
        }
        assertThat(
                        cluster.nodes().stream()
                                .mapToLong(
                                        node ->
                                                node.data()
                                                        .cluster()
                                                        .orElseThrow()
                                                        .metrics()
                                                        .forwarded())
                                .sum())
                .as("calls forwarded")
                .isPositive();
    }

    /** A client that is connected, but not as a peer. */
    private static void assertRefused(ManagedChannel client) {
        assertThat(
                        PretendedPeer.forward(
                                client,
                                "BeginTransaction",
                                BeginTransactionRequest.newBuilder().setProjectId("p").build(),
                                "",
                                ""))
                .isEqualTo(Status.Code.UNAUTHENTICATED);
    }

    private static Key key(String project) {
        Key.Builder key = Key.newBuilder();
        key.getPartitionIdBuilder().setProjectId(project);
        key.addPathBuilder().setKind("T").setName("one");
        return key.build();
    }

    private static CommitRequest commit(String project, int size) {
        Value text =
                Value.newBuilder()
                        .setStringValue("x".repeat(size))
                        .setExcludeFromIndexes(true)
                        .build();
        return CommitRequest.newBuilder()
                .setProjectId(project)
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                .addMutations(
                        Mutation.newBuilder()
                                .setUpsert(
                                        Entity.newBuilder()
                                                .setKey(key(project))
                                                .putProperties("text", text)))
                .build();
    }
}
