package petrichor.deployment;

import java.util.List;
import java.util.Map;

/**
 * Files and commands of one node. All paths are absolute paths on the node's host.
 *
 * @param files text by path relative to the node's folder, written before each start
 * @param preparation commands to run once, in an empty folder, before the first start
 * @param command the server in the foreground: ending the process ends the node
 * @param environment added to the host's
 * @param unprivileged whether the server refuses to run as root: root then uses another user
 */
public record NodeRecipe(
        Map<String, String> files,
        List<List<String>> preparation,
        List<String> command,
        Map<String, String> environment,
        boolean unprivileged) {
    public NodeRecipe {
        files = Map.copyOf(files);
        preparation = preparation.stream().map(List::copyOf).toList();
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
    }
}
