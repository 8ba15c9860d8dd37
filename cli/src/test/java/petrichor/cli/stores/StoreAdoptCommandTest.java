package petrichor.cli.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.CommandRun;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.MemoryPlugin;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;
import petrichor.server.data.StorePlugins;
import petrichor.transactions.databases.ClaimContext;
import petrichor.transactions.databases.StoreIdentity;
import petrichor.transactions.databases.StoreLease;

/** Tests the change of a store's owner on the command line. */
final class StoreAdoptCommandTest {
    private static final StoreIdentity CLUSTER =
            StoreIdentity.cluster("id", "zookeeper://elsewhere/a");

    private static int stores;

    @TempDir private Path folder;

    private final String url = "memory://127.0.0.1/adopted" + stores++;

    @BeforeEach
    void install() throws IOException {
        MemoryPlugin.install(folder);
        System.setProperty(StorePlugins.FOLDER_PROPERTY, folder.toString());
    }

    @AfterEach
    void uninstall() {
        System.clearProperty(StorePlugins.FOLDER_PROPERTY);
    }

    @Test
    void aStandaloneServerServesAStoreOfAClusterOnceItIsAdopted() {
        belongsToACluster();
        assertThatThrownBy(this::serve).hasMessageContaining("petrichor store adopt");
        CommandRun adopted = adopt();
        assertThat(adopted.code()).as(adopted.err()).isZero();
        assertThat(adopted.err())
                .contains(
                        url
                                + " belonged to the cluster of zookeeper://elsewhere/a; it belongs"
                                + " to a standalone server");
        serve().close();
        assertThat(adopt().err()).contains(url + " already belongs to a standalone server");
    }

    @Test
    void theOwnersArePrintedAsJson() {
        JsonObject first = JsonParser.parseString(adopt("--json").out()).getAsJsonObject();
        assertThat(first.get("store").getAsString()).isEqualTo(url);
        assertThat(first.get("before").getAsString()).isEqualTo("no server");
        assertThat(first.get("now").getAsString()).isEqualTo("a standalone server");
        belongsToACluster();
        JsonObject again = JsonParser.parseString(adopt("--json").out()).getAsJsonObject();
        assertThat(again.get("before").getAsString())
                .isEqualTo("the cluster of zookeeper://elsewhere/a");
    }

    /**
     * Heartbeats every 5 s tell that it is in use; only a holder that stands still for 42 s is
     * taken for one that has ended.
     */
    @Test
    void aStoreInUseIsNotAdopted() {
        try (KeyValueStore store = StorePlugins.installed().open(StoreUrl.parse(url))) {
            try (StoreLease _ =
                    StoreLease.open(
                            store,
                            CLUSTER,
                            "server 1",
                            "",
                            Duration.ofSeconds(40),
                            ClaimContext.system(_ -> false, _ -> {}))) {
                CommandRun refused = adopt();
                assertThat(refused.code()).as(refused.err()).isEqualTo(1);
                assertThat(refused.err())
                        .contains("in use by another server (server 1)", "stop that server first");
                assertThat(StoreLease.identityOf(store)).contains(CLUSTER);
            }
            assertThat(adopt().code()).isZero();
            assertThat(StoreLease.identityOf(store)).contains(StoreIdentity.STANDALONE);
        }
    }

    /** That changes nothing, so it need not wait for the server. */
    @Test
    void theOwnerOfAStoreInUseMayBeConfirmed() {
        try (Server _ = serve()) {
            CommandRun confirmed = adopt();
            assertThat(confirmed.code()).as(confirmed.err()).isZero();
            assertThat(confirmed.err()).contains("already belongs to a standalone server");
        }
    }

    @Test
    void theEmbeddedStoreCannotBeAdopted() {
        CommandRun refused = CommandRun.of("store", "adopt");
        assertThat(refused.code()).as(refused.err()).isEqualTo(1);
        assertThat(refused.err())
                .contains("cannot be adopted", "name a datastore with --store-url");
    }

    private void belongsToACluster() {
        try (KeyValueStore store = StorePlugins.installed().open(StoreUrl.parse(url))) {
            var _ =
                    StoreLease.adopt(
                            store, CLUSTER, "test", ClaimContext.system(_ -> true, _ -> {}));
        }
    }

    private Server serve() {
        return Server.start(ServerConfig.defaults().withPort(0).withStoreUrl(StoreUrl.parse(url)));
    }

    private CommandRun adopt(String... more) {
        return CommandRun.of(
                java.util.stream.Stream.concat(
                                java.util.stream.Stream.of("store", "adopt", "--store-url", url),
                                java.util.Arrays.stream(more))
                        .toArray(String[]::new));
    }
}
