package petrichor.kv.cassandra;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;
import petrichor.kv.testkit.ChangedDeployment;

/** Nodes with settings that Petrichor's own deployment does not use. */
final class ChangedSettings {
    private ChangedSettings() {}

    /**
     * @param change of cassandra.yaml, at each start of a node
     */
    static StoreDeployment of(UnaryOperator<String> change) {
        CassandraDeployment usual = new CassandraDeployment();
        return new ChangedDeployment(
                usual, Map.of(), (_, recipe) -> changed(recipe, change), usual::url);
    }

    private static NodeRecipe changed(NodeRecipe recipe, UnaryOperator<String> change) {
        Map<String, String> files = new TreeMap<>(recipe.files());
        files.computeIfPresent("conf/cassandra.yaml", (_, text) -> change.apply(text));
        return new NodeRecipe(
                files,
                recipe.preparation(),
                recipe.command(),
                recipe.environment(),
                recipe.unprivileged());
    }
}
