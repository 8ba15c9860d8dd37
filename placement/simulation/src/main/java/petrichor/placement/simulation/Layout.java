package petrichor.placement.simulation;

import java.util.Arrays;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.placement.curve.HilbertCurve;
import petrichor.placement.curve.Quantiles;
import petrichor.placement.graph.Graph;
import petrichor.placement.partition.Bisection;
import petrichor.placement.partition.Streaming;

/**
 * The node of each tweet and of each user's row under a strategy. Ranges of keys are divided so
 * that each node has equally many tuples, as stores divide them. Immutable after its creation.
 */
final class Layout {
    static final int NODES_MAX = 10_000;

    private static final int TAG_BITS = 5;
    private static final int TAGS = 3;
    private static final int FRIEND_BITS = 10;
    private static final int PASSES = 3;
    private static final double SLACK = 1.1;

    /** Leaves per node, so that ranges can be divided between leaves. */
    private static final int LEAVES_PER_NODE = 8;

    private static final int ID_BITS = 32;

    private final int nodes;
    private final int[] nodeOfTweet;
    private final int[] nodeOfUser;
    private final int[] all;

    /** Nodes that a read by one tag must ask; null if that is every node. */
    private final int[] @Nullable [] nodesOfSlab = new int[TAGS << TAG_BITS][];

    private Layout(int nodes, int tweets, int users) {
        this.nodes = nodes;
        this.nodeOfTweet = new int[tweets];
        this.nodeOfUser = new int[users];
        this.all = IntStream.range(0, nodes).toArray();
    }

    static Layout of(Strategy strategy, SocialData data, int nodes, long seed) {
        if (nodes < 2 || nodes > NODES_MAX) {
            throw PetrichorException.invalid(
                    "a simulation has 2 to {max} nodes, not {nodes}",
                    "max",
                    NODES_MAX,
                    "nodes",
                    nodes);
        }
        Layout layout = new Layout(nodes, data.tweets(), data.users());
        switch (strategy) {
            case RANDOM -> layout.hashed(seed);
            case ORDERED -> layout.ranges(user -> user, tweet -> data.author(tweet));
            case TAGGED -> layout.tagged(data);
            case TAGGED_FRIENDS -> layout.friends(data);
            case AFFINITY_GROUPS -> layout.groups(data);
            case AFFINITY_PREFIX -> layout.leaves(data);
            case MINHASH -> layout.minhash(data);
            case METIS -> throw new IllegalArgumentException("the groups of METIS are missing");
        }
        return layout;
    }

    /**
     * Groups that were found elsewhere, one per node.
     *
     * @param group of each user
     */
    static Layout ofGroups(int[] group, SocialData data, int nodes) {
        if (group.length != data.users()
                || IntStream.of(group).anyMatch(one -> one < 0 || one >= nodes)) {
            throw PetrichorException.invalid(
                    "a partition has a group from 0 to {max} for each of {users} users, not {lines}"
                            + " groups or others.",
                    "max",
                    nodes - 1,
                    "users",
                    data.users(),
                    "lines",
                    group.length);
        }
        Layout layout = new Layout(nodes, data.tweets(), data.users());
        layout.grouped(group, data);
        return layout;
    }

    int nodes() {
        return nodes;
    }

    int ofTweet(int tweet) {
        return nodeOfTweet[tweet];
    }

    int ofUser(int user) {
        return nodeOfUser[user];
    }

    /**
     * Nodes that must be asked for all tuples with one tag if there is no index.
     *
     * @param slab the dimension and the bucket; see {@link #slab}
     */
    int[] nodesAsked(int slab) {
        int[] asked = nodesOfSlab[slab];
        return asked == null ? all : asked;
    }

    /** Whether a read by a tag must ask every node if there is no index. */
    boolean asksAll(int dimension, int tag) {
        return nodesOfSlab[slab(dimension, bucket(tag))] == null;
    }

    static int slab(int dimension, int bucket) {
        return dimension << TAG_BITS | bucket;
    }

    /** The bucket of a mention or hashtag: identifiers are spread evenly by their hash. */
    static int bucket(int tag) {
        return tag == SocialData.NONE ? 0 : (int) (mixed(tag) >>> (Long.SIZE - TAG_BITS));
    }

    private void hashed(long seed) {
        for (int tweet = 0; tweet < nodeOfTweet.length; tweet++) {
            nodeOfTweet[tweet] = (int) Long.remainderUnsigned(mixed(tweet ^ seed << 32), nodes);
        }
        for (int user = 0; user < nodeOfUser.length; user++) {
            nodeOfUser[user] = (int) Long.remainderUnsigned(mixed(~(user ^ seed << 32)), nodes);
        }
    }

    /** A random permutation of the 64-bit numbers (the finalizer of SplitMix64). */
    static long mixed(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    private void ranges(IntToLongFunction userKey, IntToLongFunction tweetKey) {
        divide(nodeOfUser, userKey);
        divide(nodeOfTweet, tweetKey);
    }

    /**
     * Sorts tuples by key and number, and gives each node equally many. Returns the sorted keys.
     */
    private long[] divide(int[] node, IntToLongFunction key) {
        long[] sorted = new long[node.length];
        for (int tuple = 0; tuple < node.length; tuple++) {
            sorted[tuple] = key.applyAsLong(tuple) << ID_BITS | tuple;
        }
        Arrays.parallelSort(sorted);
        for (int at = 0; at < sorted.length; at++) {
            node[(int) sorted[at]] = (int) ((long) at * nodes / sorted.length);
        }
        return sorted;
    }

    private void tagged(SocialData data) {
        HilbertCurve curve = new HilbertCurve(TAGS, TAG_BITS);
        double[] authors = new double[data.tweets()];
        Arrays.setAll(authors, data::author);
        Quantiles byAuthor = Quantiles.of(authors, TAG_BITS);
        divide(nodeOfUser, user -> user);
        long[] sorted =
                divide(
                        nodeOfTweet,
                        tweet ->
                                curve.index(
                                        byAuthor.bucket(data.author(tweet)),
                                        bucket(data.mention(tweet)),
                                        bucket(data.hashtag(tweet))));
        long[] firsts = new long[nodes];
        for (int node = 0; node < nodes; node++) {
            firsts[node] = sorted[(int) ((long) node * sorted.length / nodes)] >>> ID_BITS;
        }
        for (int dimension = 1; dimension < TAGS; dimension++) {
            for (int bucket = 0; bucket < 1 << TAG_BITS; bucket++) {
                nodesOfSlab[slab(dimension, bucket)] = crossed(curve, firsts, dimension, bucket);
            }
        }
    }

    /** Nodes whose range of the curve has a cell of the slab. */
    private int[] crossed(HilbertCurve curve, long[] firsts, int dimension, int bucket) {
        boolean[] asked = new boolean[nodes];
        int[] cell = new int[TAGS];
        cell[dimension] = bucket;
        int other = dimension == 1 ? 2 : 1;
        for (int a = 0; a < 1 << TAG_BITS; a++) {
            for (int b = 0; b < 1 << TAG_BITS; b++) {
                cell[0] = a;
                cell[other] = b;
                long index = curve.index(cell);
                // A cell with many tuples is divided among several nodes.
                int last = upper(firsts, index);
                for (int node = last; node >= 0; node--) {
                    asked[node] = true;
                    if (firsts[node] < index) {
                        break;
                    }
                }
            }
        }
        return IntStream.range(0, nodes).filter(node -> asked[node]).toArray();
    }

    /** The last node whose range begins at or before the index. */
    private static int upper(long[] firsts, long index) {
        int low = 0;
        int high = firsts.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (firsts[middle] <= index) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return Math.max(0, low - 1);
    }

    private void friends(SocialData data) {
        Graph follows = data.follows();
        int users = data.users();
        double[] first = new double[users];
        double[] second = new double[users];
        for (int user = 0; user < users; user++) {
            int best = user;
            int next = user;
            int bestFollowers = -1;
            int nextFollowers = -1;
            for (int k = 0; k < follows.degree(user); k++) {
                int friend = follows.target(user, k);
                int popular = data.followers().degree(friend);
                if (popular > bestFollowers) {
                    next = best;
                    nextFollowers = bestFollowers;
                    best = friend;
                    bestFollowers = popular;
                } else if (popular > nextFollowers) {
                    next = friend;
                    nextFollowers = popular;
                }
            }
            first[user] = best;
            second[user] = next;
        }
        HilbertCurve curve = new HilbertCurve(2, FRIEND_BITS);
        Quantiles byFirst = Quantiles.of(first, FRIEND_BITS);
        Quantiles bySecond = Quantiles.of(second, FRIEND_BITS);
        long[] key = new long[users];
        Arrays.setAll(
                key,
                user -> curve.index(byFirst.bucket(first[user]), bySecond.bucket(second[user])));
        byAuthor(data, key);
    }

    /** Tweets follow their author, who is placed by a key; equal keys are ordered by author. */
    private void byAuthor(SocialData data, long[] key) {
        int[] rank = new int[key.length];
        long[] sorted = new long[key.length];
        for (int user = 0; user < key.length; user++) {
            sorted[user] = key[user] << ID_BITS | user;
        }
        Arrays.sort(sorted);
        for (int at = 0; at < sorted.length; at++) {
            rank[(int) sorted[at]] = at;
        }
        ranges(user -> rank[user], tweet -> rank[data.author(tweet)]);
    }

    private void groups(SocialData data) {
        int[] group =
                new Streaming(nodes, PASSES, SLACK).partition(data.undirected(), data.weights());
        grouped(group, data);
    }

    private void grouped(int[] group, SocialData data) {
        System.arraycopy(group, 0, nodeOfUser, 0, group.length);
        Arrays.setAll(nodeOfTweet, tweet -> group[data.author(tweet)]);
    }

    /**
     * Users with similar sets of followees are probably neighbours: the least hash of a followee.
     */
    private void minhash(SocialData data) {
        long[] key = new long[data.users()];
        for (int user = 0; user < key.length; user++) {
            long least = mixed(user) >>> ID_BITS;
            for (int k = 0; k < data.follows().degree(user); k++) {
                least = Math.min(least, mixed(data.follows().target(user, k)) >>> ID_BITS);
            }
            key[user] = least >>> 1;
        }
        byAuthor(data, key);
    }

    private void leaves(SocialData data) {
        int depth = Integer.SIZE - Integer.numberOfLeadingZeros(nodes * LEAVES_PER_NODE - 1);
        int[] leaf = new Bisection(depth).leaves(data.undirected(), data.weights());
        long[] key = new long[leaf.length];
        Arrays.setAll(key, user -> leaf[user]);
        byAuthor(data, key);
    }
}
