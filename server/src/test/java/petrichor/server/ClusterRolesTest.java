package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.frontends.access.TokenHash;
import petrichor.kv.memory.MemoryOptions;
import petrichor.server.config.ServerConfig;

/** Tests that tokens are effective at every server of a cluster, regardless of the owner. */
final class ClusterRolesTest {
    /** A call of this size is sent separately between servers, not on their stream. */
    private static final int LARGE = 900_000;

    @TempDir private Path folder;

    @Test
    void aTokenHasTheSamePermissionsAtOwnersAndOthers() throws IOException {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT, this::withTokens)) {
            for (TestCluster.Node node : cluster.nodes()) {
                for (int size : new int[] {1, LARGE}) {
                    assertThat(commit(node, "web", size, "")).isEqualTo("OK");
                    assertThat(commit(node, "reports", size, "")).isEqualTo("PERMISSION_DENIED");
                    assertThat(commit(node, "elsewhere", size, "")).isEqualTo("PERMISSION_DENIED");
                    assertThat(commit(node, "nobody", size, "")).isEqualTo("UNAUTHENTICATED");
                }
            }
        }
    }

    @Test
    void clientsCannotImpersonateServers() throws IOException {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT, this::withTokens)) {
            for (TestCluster.Node node : cluster.nodes()) {
                for (String bearer : new String[] {"", "web", "elsewhere"}) {
                    assertThat(
                                    PretendedPeer.forward(
                                            node.server().channel(),
                                            "Commit",
                                            request(1),
                                            "a guess",
                                            bearer))
                            .isEqualTo(Status.Code.UNAUTHENTICATED);
                }
                // The API itself does not accept a cluster token.
                assertThat(commit(node, "elsewhere", 1, "only servers know"))
                        .isEqualTo("PERMISSION_DENIED");
            }
        }
    }

    private ServerConfig withTokens(ServerConfig config) {
        Path file = folder.resolve("tokens.toml");
        try {
            Files.writeString(
                    file,
                    section("web", "write", "p")
                            + section("reports", "read", "p")
                            + section("elsewhere", "write", "q"));
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
        return config.withAuth(
                new ServerConfig.Access(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(file),
                        config.auth().reloadEvery()));
    }

    private static String section(String name, String role, String project) {
        return String.format(
                "[%s]%nrole = \"%s\"%nsha256 = \"%s\"%nprojects = [\"%s\"]%n",
                name, role, TokenHash.of(name).hex(), project);
    }

    /**
     * @param clusterToken sent by the client; empty for none
     */
    private static String commit(
            TestCluster.Node node, String bearer, int size, String clusterToken) {
        Metadata headers = PretendedPeer.headers(clusterToken, bearer);
        try {
            var _ =
                    ClientCalls.blockingUnaryCall(
                            ClientInterceptors.intercept(
                                    node.server().channel(),
                                    MetadataUtils.newAttachHeadersInterceptor(headers)),
                            TestCluster.COMMIT,
                            CallOptions.DEFAULT,
                            request(size));
            return "OK";
        } catch (StatusRuntimeException refused) {
            return refused.getStatus().getCode().name();
        }
    }

    private static CommitRequest request(int size) {
        Value text =
                Value.newBuilder()
                        .setStringValue("x".repeat(size))
                        .setExcludeFromIndexes(true)
                        .build();
        Key key =
                Key.newBuilder()
                        .setPartitionId(PartitionId.newBuilder().setProjectId("p"))
                        .addPath(Key.PathElement.newBuilder().setKind("T").setName("one"))
                        .build();
        return CommitRequest.newBuilder()
                .setProjectId("p")
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                .addMutations(
                        Mutation.newBuilder()
                                .setUpsert(
                                        Entity.newBuilder()
                                                .setKey(key)
                                                .putProperties("text", text)))
                .build();
    }
}
