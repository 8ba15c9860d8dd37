package petrichor.deployment;

import java.util.List;

/**
 * The nodes of one datastore, with the layout from its first start.
 *
 * @param name distinguishes clusters of the same store; part of nodes' folders
 * @param nodes in start order; the first one is the seed
 * @param secret random for each cluster, for stores that require a password
 */
public record Cluster(String name, List<Node> nodes, String secret) {
    public Cluster {
        nodes = List.copyOf(nodes);
        if (nodes.isEmpty()) {
            throw new IllegalArgumentException("a cluster needs at least one node");
        }
    }

    public Node first() {
        return nodes.getFirst();
    }

    @Override
    public String toString() {
        return name + " " + nodes;
    }
}
