package petrichor.kv.cassandra;

import java.util.Map;
import java.util.Optional;

/**
 * The number of replicas of each row. With fewer than three in a cluster of three or more nodes,
 * the loss of a single node loses rows.
 *
 * @param options as Cassandra stores them
 * @param nodes of the cluster, up or down
 */
record Replication(String keyspace, Map<String, String> options, int nodes) {
    private static final int COPIES_ENOUGH = 3;

    /** What is wrong with the replication and what to do; empty if it is sufficient. */
    Optional<String> unfit() {
        String strategy = options.getOrDefault("class", "");
        int copies = 0;
        for (Map.Entry<String, String> option : options.entrySet()) {
            if (option.getKey().equals("class")) {
                continue;
            }
            if (!option.getValue().matches("[0-9]{1,4}")) {
                return Optional.of(
                        "its keyspace has the unsupported replication "
                                + options
                                + "; use NetworkTopologyStrategy with full replicas");
            }
            copies += Integer.parseInt(option.getValue());
        }
        if (!strategy.endsWith(".NetworkTopologyStrategy")
                && !strategy.endsWith(".SimpleStrategy")) {
            return Optional.of(
                    "its keyspace is replicated by " + strategy + "; use NetworkTopologyStrategy");
        }
        int enough = Math.min(COPIES_ENOUGH, nodes);
        return copies >= enough
                ? Optional.empty()
                : Optional.of(
                        "its keyspace keeps each row on "
                                + copies
                                + " of "
                                + nodes
                                + " nodes, so that the loss of a node loses rows; ALTER KEYSPACE "
                                + keyspace
                                + " to "
                                + enough
                                + " replicas and run nodetool repair --full");
    }
}
