package petrichor.kv.testkit;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import petrichor.deployment.Cluster;
import petrichor.deployment.Dependency;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;

/**
 * Servers of a datastore with settings other than those of {@code store start}.
 *
 * @param morePorts in addition to the nodes' usual ones
 * @param change of each node's recipe
 * @param address of the store
 */
public record ChangedDeployment(
        StoreDeployment below,
        Map<String, Integer> morePorts,
        BiFunction<Node, NodeRecipe, NodeRecipe> change,
        Function<Cluster, String> address)
        implements StoreDeployment {

    /** Appends text to one file, and adds further files. */
    public static NodeRecipe with(
            NodeRecipe recipe, String file, String more, Map<String, String> files) {
        Map<String, String> all = new TreeMap<>(recipe.files());
        all.merge(file, more, String::concat);
        all.putAll(files);
        return new NodeRecipe(
                all,
                recipe.preparation(),
                recipe.command(),
                recipe.environment(),
                recipe.unprivileged());
    }

    @Override
    public String store() {
        return below.store();
    }

    @Override
    public String version() {
        return below.version();
    }

    @Override
    public int nodesMax() {
        return below.nodesMax();
    }

    @Override
    public List<Dependency> supplies() {
        return below.supplies();
    }

    @Override
    public Map<String, Integer> ports() {
        Map<String, Integer> all = new TreeMap<>(below.ports());
        all.putAll(morePorts);
        return all;
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        return change.apply(node, below.recipe(cluster, node));
    }

    @Override
    public boolean serves(Cluster cluster, Node node) {
        return below.serves(cluster, node);
    }

    @Override
    public void whenAllServe(Cluster cluster) {
        below.whenAllServe(cluster);
    }

    @Override
    public Duration startTimeMax() {
        return below.startTimeMax();
    }

    @Override
    public String stopSignal() {
        return below.stopSignal();
    }

    @Override
    public Duration stopTimeMax() {
        return below.stopTimeMax();
    }

    @Override
    public String setting() {
        return below.setting();
    }

    @Override
    public String url(Cluster cluster) {
        return address.apply(cluster);
    }
}
