package petrichor.placement.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import petrichor.base.PetrichorException;
import petrichor.placement.graph.Graph;
import petrichor.placement.partition.Streaming;

/**
 * A follow graph that changes every day: a share of the edges gets another followee, mostly a
 * followee of a followee, as people find new friends. Shows how groups that were found once become
 * stale, and what it costs to adapt them by one more pass of streaming partitioning.
 *
 * @param sharePerDay edges that change, from 0 to 1
 * @param days that are simulated
 */
public record Drift(double sharePerDay, int days) {
    private static final int DAYS_MAX = 1_000;
    private static final int PASSES = 3;
    private static final double SLACK = 1.1;

    /** New followees who are followees of a followee; the others are as popular as any. */
    private static final double FRIENDS_OF_FRIENDS = 0.7;

    /**
     * Nodes contacted by a timeline of friends on a day.
     *
     * @param stale with the groups of the first day
     * @param adapted with groups that are adapted every day
     * @param fresh with new groups, which do not depend on former ones
     * @param moved share of the tuples that the adaptation of this day moves
     */
    public record Day(int day, double stale, double adapted, double fresh, double moved) {}

    public Drift {
        if (!(sharePerDay >= 0 && sharePerDay <= 1) || days < 1 || days > DAYS_MAX) {
            throw PetrichorException.invalid(
                    "a graph drifts by a share from 0 to 1 for 1 to {max} days; share: {share},"
                            + " days: {days}",
                    "max",
                    DAYS_MAX,
                    "share",
                    sharePerDay,
                    "days",
                    days);
        }
    }

    /**
     * @param timelines that are read each day
     */
    public List<Day> run(SocialData data, int nodes, int timelines, long seed) {
        Streaming all = new Streaming(nodes, PASSES, SLACK);
        Streaming pass = new Streaming(nodes, 1, SLACK);
        double[] weights = data.weights();
        int[] stale = all.partition(data.undirected(), weights);
        int[] adapted = stale;
        SplittableRandom random = new SplittableRandom(seed);
        List<Day> result = new ArrayList<>();
        SocialData today = data;
        for (int day = 0; day <= days; day++) {
            int[] fresh = stale;
            double moved = 0;
            if (day > 0) {
                today = today.with(rewired(today.follows(), random));
                fresh = all.partition(today.undirected(), weights);
                int[] next = pass.restream(today.undirected(), weights, adapted);
                moved = moved(adapted, next, weights);
                adapted = next;
            }
            Timelines read = new Timelines(today, timelines, seed + day);
            int[] now = adapted;
            int[] latest = fresh;
            result.add(
                    new Day(
                            day,
                            read.nodes(user -> stale[user], nodes),
                            read.nodes(user -> now[user], nodes),
                            read.nodes(user -> latest[user], nodes),
                            moved));
        }
        return result;
    }

    private Graph rewired(Graph follows, SplittableRandom random) {
        int[] from = new int[follows.edges()];
        int[] to = new int[follows.edges()];
        int edge = 0;
        for (int user = 0; user < follows.vertices(); user++) {
            for (int k = 0; k < follows.degree(user); k++) {
                from[edge] = user;
                to[edge++] = follows.target(user, k);
            }
        }
        int[] popular = to.clone();
        for (int k = 0; k < edge; k++) {
            if (random.nextDouble() < sharePerDay) {
                int middle = follows.target(from[k], random.nextInt(follows.degree(from[k])));
                boolean near =
                        follows.degree(middle) > 0 && random.nextDouble() < FRIENDS_OF_FRIENDS;
                to[k] =
                        near
                                ? follows.target(middle, random.nextInt(follows.degree(middle)))
                                : popular[random.nextInt(edge)];
            }
        }
        return Graph.of(follows.vertices(), from, to);
    }

    private static double moved(int[] before, int[] after, double[] weights) {
        double moved = 0;
        double all = 0;
        for (int user = 0; user < before.length; user++) {
            all += weights[user];
            moved += before[user] == after[user] ? 0 : weights[user];
        }
        return moved / all;
    }
}
