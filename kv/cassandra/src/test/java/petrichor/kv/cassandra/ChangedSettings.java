package petrichor.kv.cassandra;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import petrichor.deployment.Cluster;
import petrichor.deployment.Dependency;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;

/**
 * Deploys one node with settings that Petrichor's own deployment does not use.
 *
 * @param change changes cassandra.yaml, at each start of the node
 */
record ChangedSettings(CassandraDeployment sound, UnaryOperator<String> change)
        implements StoreDeployment {

    ChangedSettings(UnaryOperator<String> change) {
        this(new CassandraDeployment(), change);
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        NodeRecipe recipe = sound.recipe(cluster, node);
        Map<String, String> files = new HashMap<>(recipe.files());
        files.computeIfPresent("conf/cassandra.yaml", (_, text) -> change.apply(text));
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
