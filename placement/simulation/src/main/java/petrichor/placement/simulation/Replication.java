package petrichor.placement.simulation;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import petrichor.base.PetrichorException;

/**
 * Replicas: each tuple is on a node and on those that follow it. A read needs some replicas of each
 * tuple, and asks the fewest nodes that have them, as far as a greedy search finds them. Tuples of
 * the users with most followers can be on every node in addition.
 *
 * @param replicas of each tuple
 * @param quorum replicas that a read needs: 1, or a majority
 * @param hotShare share of the users whose tuples are on every node
 */
public record Replication(int replicas, int quorum, double hotShare) {
    private static final int REPLICAS_MAX = 7;

    /**
     * What it costs.
     *
     * @param timelineNodes nodes contacted by a timeline of friends
     * @param writeNodes nodes that a tweet is written to, mean
     * @param requestImbalance requests of timelines of the busiest node over the mean
     */
    public record Result(double timelineNodes, double writeNodes, double requestImbalance) {}

    public Replication {
        if (replicas < 1
                || replicas > REPLICAS_MAX
                || quorum < 1
                || quorum > replicas
                || !(hotShare >= 0 && hotShare <= 1)) {
            throw PetrichorException.invalid(
                    "a tuple has 1 to {max} replicas of which a read needs at least one, and a"
                            + " share from 0 to 1 of users is hot; replicas: {replicas}, quorum:"
                            + " {quorum}, hot: {hot}",
                    "max",
                    REPLICAS_MAX,
                    "replicas",
                    replicas,
                    "quorum",
                    quorum,
                    "hot",
                    hotShare);
        }
    }

    public Result run(Strategy strategy, SocialData data, int nodes, int timelines, long seed) {
        int[] nodeOf = new int[data.users()];
        Layout layout = Layout.of(strategy, data, nodes, seed);
        Arrays.setAll(nodeOf, layout::ofUser);
        boolean[] hot = hot(data);
        Timelines read = new Timelines(data, timelines, seed);
        long[] requests = new long[nodes];
        long contacted = 0;
        for (int k = 0; k < read.count(); k++) {
            boolean[] asked = asked(read, k, nodeOf, hot, nodes);
            for (int node = 0; node < nodes; node++) {
                if (asked[node]) {
                    contacted++;
                    requests[node]++;
                }
            }
        }
        double written = 0;
        for (int tweet = 0; tweet < data.tweets(); tweet++) {
            written += hot[data.author(tweet)] ? nodes : Math.min(nodes, replicas);
        }
        double mean = (double) contacted / nodes;
        return new Result(
                (double) contacted / Math.max(1, read.count()),
                written / data.tweets(),
                mean == 0 ? 1 : Arrays.stream(requests).max().orElse(0) / mean);
    }

    private boolean[] hot(SocialData data) {
        boolean[] hot = new boolean[data.users()];
        IntStream.range(0, data.users())
                .boxed()
                .sorted(Comparator.comparingInt(user -> -data.followers().degree(user)))
                .limit(Math.round(hotShare * data.users()))
                .forEach(user -> hot[user] = true);
        return hot;
    }

    /** Asks nodes that have most of the missing replicas until none is missing. */
    private boolean[] asked(Timelines read, int k, int[] nodeOf, boolean[] hot, int nodes) {
        int[] needed =
                IntStream.concat(IntStream.of(read.user(k)), Arrays.stream(read.authors(k)))
                        .distinct()
                        .filter(user -> !hot[user])
                        .map(user -> nodeOf[user])
                        .distinct()
                        .toArray();
        boolean[] asked = new boolean[nodes];
        int[] missing = new int[needed.length];
        Arrays.fill(missing, quorum);
        if (needed.length == 0) {
            asked[nodeOf[read.user(k)]] = true;
        }
        int[] has = new int[nodes];
        while (Arrays.stream(missing).anyMatch(count -> count > 0)) {
            Arrays.fill(has, 0);
            int best = -1;
            for (int i = 0; i < needed.length; i++) {
                for (int replica = 0; missing[i] > 0 && replica < replicas; replica++) {
                    int node = (needed[i] + replica) % nodes;
                    if (!asked[node] && (++has[node] > 0) && (best < 0 || has[node] > has[best])) {
                        best = node;
                    }
                }
            }
            asked[best] = true;
            for (int i = 0; i < needed.length; i++) {
                if (Math.floorMod(best - needed[i], nodes) < replicas) {
                    missing[i]--;
                }
            }
        }
        return asked;
    }
}
