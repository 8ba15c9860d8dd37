package petrichor.placement.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import petrichor.base.PetrichorException;
import petrichor.placement.partition.NestedGroups;
import petrichor.placement.partition.Streaming;

/**
 * Nodes that join and leave. Tuples are in tablets, several per node, which are moved as a whole: a
 * node that joins takes tablets from the fullest nodes, those of a node that leaves go to the
 * emptiest ones.
 *
 * @param changes nodes that join, one after the other, and then leave
 */
public record Membership(int changes) {
    /** Tablets per node, before nodes join. */
    private static final int TABLETS_PER_NODE = 16;

    private static final int PASSES = 3;
    private static final double SLACK = 1.1;

    /**
     * The state after a number of changes.
     *
     * @param timelineNodes nodes contacted by a timeline of friends
     * @param moved tuples that were moved since the beginning, as a share of all
     * @param imbalance tuples of the fullest node over the mean
     */
    public record State(int nodes, double timelineNodes, double moved, double imbalance) {}

    public Membership {
        if (changes < 1 || changes > Layout.NODES_MAX) {
            throw PetrichorException.invalid(
                    "1 to {max} nodes join, not {changes}",
                    "max",
                    Layout.NODES_MAX,
                    "changes",
                    changes);
        }
    }

    /** The states at first, after all have joined, and after they have left. */
    public List<State> run(
            Strategy strategy, SocialData data, int nodes, int timelines, long seed) {
        int tablets = nodes * TABLETS_PER_NODE;
        int[] tablet = tablets(strategy, data, tablets);
        double[] weight = new double[tablets];
        double[] weights = data.weights();
        for (int user = 0; user < tablet.length; user++) {
            weight[tablet[user]] += weights[user];
        }
        Cluster cluster = new Cluster(weight, nodes, nodes + changes);
        Timelines read = new Timelines(data, timelines, seed);
        List<State> states = new ArrayList<>();
        states.add(cluster.state(read, tablet, nodes));
        for (int node = nodes; node < nodes + changes; node++) {
            cluster.join(node);
        }
        states.add(cluster.state(read, tablet, nodes + changes));
        for (int node = nodes + changes - 1; node >= nodes; node--) {
            cluster.leave(node);
        }
        states.add(cluster.state(read, tablet, nodes));
        return states;
    }

    /** The tablet of each user; those with close numbers are on the same node at first. */
    private static int[] tablets(Strategy strategy, SocialData data, int tablets) {
        int users = data.users();
        return switch (strategy) {
            case RANDOM ->
                    IntStream.range(0, users)
                            .map(user -> (int) Long.remainderUnsigned(Layout.mixed(user), tablets))
                            .toArray();
            case ORDERED -> even(IntStream.range(0, users).toArray(), data.weights(), tablets);
            case AFFINITY_GROUPS ->
                    new Streaming(tablets, PASSES, SLACK)
                            .partition(data.undirected(), data.weights());
            case AFFINITY_PREFIX -> {
                int depth = Integer.SIZE - Integer.numberOfLeadingZeros(tablets - 1);
                int[] number =
                        new NestedGroups(tablets / TABLETS_PER_NODE, depth)
                                .numbers(data.undirected(), data.weights());
                yield IntStream.of(number)
                        .map(one -> (int) (((long) one * tablets) >> depth))
                        .toArray();
            }
            case TAGGED, TAGGED_FRIENDS, MINHASH, METIS ->
                    throw PetrichorException.invalid(
                            "nodes join and leave with the placements random, ordered,"
                                    + " affinity-groups and affinity-prefix, not with {placement}",
                            "placement",
                            strategy.label());
        };
    }

    private static int[] even(int[] order, double[] weights, int tablets) {
        double all = Arrays.stream(weights).sum();
        int[] tablet = new int[order.length];
        double before = 0;
        for (int user : order) {
            tablet[user] = Math.min(tablets - 1, (int) (before / all * tablets));
            before += weights[user];
        }
        return tablet;
    }

    /** Which node has which tablets. Confined to one thread. */
    private static final class Cluster {
        private final double[] weight;
        private final int[] nodeOf;
        private final double[] load;
        private final boolean[] member;
        private final double all;
        private double moved;

        Cluster(double[] weight, int nodes, int nodesMax) {
            this.weight = weight;
            this.nodeOf = new int[weight.length];
            this.load = new double[nodesMax];
            this.member = new boolean[nodesMax];
            for (int tablet = 0; tablet < weight.length; tablet++) {
                nodeOf[tablet] = tablet / TABLETS_PER_NODE;
                load[nodeOf[tablet]] += weight[tablet];
            }
            Arrays.fill(member, 0, nodes, true);
            all = Arrays.stream(weight).sum();
        }

        private int members() {
            int members = 0;
            for (boolean one : member) {
                members += one ? 1 : 0;
            }
            return members;
        }

        void join(int node) {
            member[node] = true;
            double wanted = all / members();
            while (load[node] < wanted) {
                int fullest = node == 0 ? 1 : 0;
                for (int k = 0; k < load.length; k++) {
                    if (k != node && load[k] > load[fullest]) {
                        fullest = k;
                    }
                }
                int tablet = lastOf(fullest);
                if (load[node] + weight[tablet] / 2 > wanted) {
                    return;
                }
                move(tablet, node);
            }
        }

        private int lastOf(int node) {
            int tablet = nodeOf.length - 1;
            while (nodeOf[tablet] != node || weight[tablet] == 0) {
                tablet--;
            }
            return tablet;
        }

        void leave(int node) {
            member[node] = false;
            for (int tablet = 0; tablet < nodeOf.length; tablet++) {
                if (nodeOf[tablet] == node) {
                    int emptiest = -1;
                    for (int k = 0; k < load.length; k++) {
                        if (member[k] && (emptiest < 0 || load[k] < load[emptiest])) {
                            emptiest = k;
                        }
                    }
                    move(tablet, emptiest);
                }
            }
        }

        private void move(int tablet, int node) {
            load[nodeOf[tablet]] -= weight[tablet];
            load[node] += weight[tablet];
            moved += weight[tablet];
            nodeOf[tablet] = node;
        }

        State state(Timelines read, int[] tablet, int nodes) {
            double most = Arrays.stream(load).max().orElse(0);
            return new State(
                    nodes,
                    read.nodes(user -> nodeOf[tablet[user]], load.length),
                    moved / all,
                    most / (all / nodes));
        }
    }
}
