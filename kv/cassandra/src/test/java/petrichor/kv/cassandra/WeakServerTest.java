package petrichor.kv.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.failure;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.deployment.Cluster;
import petrichor.deployment.Dependency;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RealStore;

/** A server with Cassandra's default settings. */
@Tag("slow")
class WeakServerTest {

    @Test
    void serverThatAcknowledgesBeforeItSyncsIsRefused() {
        try (RealStore server = RealStore.start(new Periodic(new CassandraDeployment()), 1)) {
            StoreUrl url = StoreUrl.parse(server.url() + "?timeout=20s");
            assertThat(
                            failure(
                                    ErrorCode.FAILED_PRECONDITION,
                                    () -> new CassandraPlugin().open(url)))
                    .contains("commitlog_sync: periodic")
                    .contains("set commitlog_sync: batch");
        }
    }

    private record Periodic(CassandraDeployment sound) implements StoreDeployment {
        @Override
        public NodeRecipe recipe(Cluster cluster, Node node) {
            NodeRecipe recipe = sound.recipe(cluster, node);
            Map<String, String> files = new HashMap<>(recipe.files());
            files.computeIfPresent(
                    "conf/cassandra.yaml",
                    (name, text) ->
                            text.replace(
                                    "commitlog_sync: batch",
                                    "commitlog_sync: periodic\ncommitlog_sync_period: 10000ms"));
            return new NodeRecipe(
                    files,
                    recipe.preparation(),
                    recipe.command(),
                    recipe.environment(),
                    recipe.unprivileged());
        }

        @Override
        public String store() {
            return "cassandra";
        }

        @Override
        public String version() {
            return sound.version();
        }

        @Override
        public int nodesMax() {
            return 1;
        }

        @Override
        public List<Dependency> supplies() {
            return sound.supplies();
        }

        @Override
        public Map<String, Integer> ports() {
            return sound.ports();
        }

        @Override
        public boolean serves(Cluster cluster, Node node) {
            return sound.serves(cluster, node);
        }

        @Override
        public void whenAllServe(Cluster cluster) {
            sound.whenAllServe(cluster);
        }

        @Override
        public String url(Cluster cluster) {
            return sound.url(cluster);
        }
    }
}
