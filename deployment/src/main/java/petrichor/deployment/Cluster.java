package petrichor.deployment;

import java.util.List;

/**
 * The nodes of one datastore, as they were laid out when it was first started.
 *
 * @param name distinguishes clusters of the same store; part of nodes' folders
 * @param nodes in the order in which they are started; the first one is the seed
 * @param secret made at random for this cluster, for stores that want a password
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
