package petrichor.placement.simulation;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.placement.curve.HilbertCurve;
import petrichor.placement.curve.Quantiles;
import petrichor.placement.graph.Graph;
import petrichor.placement.partition.NestedGroups;
import petrichor.placement.partition.PrefixRanges;
import petrichor.placement.partition.Streaming;

/**
 * The node of each tweet and of each user's row under a strategy. Ranges of keys are divided so
 * that each node has equally many tuples, as stores divide them. Immutable after its creation.
 */
final class Layout {
    static final int NODES_MAX = 10_000;

    private static final int TAG_BITS = 5;
    private static final int BUCKET_MAX = (1 << TAG_BITS) - 1;
    private static final int TAGS = 3;
    private static final int FRIEND_BITS = 10;
    private static final int PASSES = 3;
    private static final double SLACK = 1.1;

    /** Leaves per node, so that ranges can be divided between leaves. */
    private static final int LEAVES_PER_NODE = 8;

    private static final int ID_BITS = 32;

    private final int nodes;
    private final char[] nodeOfTweet;
    private final char[] nodeOfUser;
    private final int[] all;

    /** Nodes that a read by one tag must ask; null if that is every node. */
    private final int[] @Nullable [] nodesOfSlab = new int[TAGS << TAG_BITS][];

    private Layout(int nodes, int tweets, int users) {
        this.nodes = nodes;
        this.nodeOfTweet = new char[tweets];
        this.nodeOfUser = new char[users];
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
            case ORDERED -> layout.byAuthor(data, IntStream.range(0, data.users()).toArray());
            case TAGGED -> layout.tagged(data);
            case TAGGED_FRIENDS -> layout.friends(data);
            case AFFINITY_GROUPS -> layout.groups(data);
            case AFFINITY_PREFIX -> layout.prefixes(data);
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
            nodeOfTweet[tweet] = (char) Long.remainderUnsigned(mixed(tweet ^ seed << 32), nodes);
        }
        for (int user = 0; user < nodeOfUser.length; user++) {
            nodeOfUser[user] = (char) Long.remainderUnsigned(mixed(~(user ^ seed << 32)), nodes);
        }
    }

    /** A random permutation of the 64-bit numbers (the finalizer of SplitMix64). */
    static long mixed(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    /** Each node has equally many of the positions 0, 1, 2 and so on. */
    private static char[] even(int positions, int nodes) {
        char[] node = new char[positions];
        for (int k = 1; k < nodes; k++) {
            Arrays.fill(node, first(k, positions, nodes), first(k + 1, positions, nodes), (char) k);
        }
        return node;
    }

    private static int first(int node, int positions, int nodes) {
        return (int) (((long) node * positions + nodes - 1) / nodes);
    }

    /** The first position of each key, if tuples are sorted by key: from their numbers. */
    private static int[] starts(int[] counts) {
        int[] starts = new int[counts.length];
        for (int key = 1; key < counts.length; key++) {
            starts[key] = starts[key - 1] + counts[key - 1];
        }
        return starts;
    }

    private void tagged(SocialData data) {
        HilbertCurve curve = new HilbertCurve(TAGS, TAG_BITS);
        long[] tweets = new long[data.users()];
        for (int tweet = 0; tweet < nodeOfTweet.length; tweet++) {
            tweets[data.author(tweet)]++;
        }
        Quantiles byAuthor = Quantiles.ofCounts(tweets, TAG_BITS);
        int[] bucketOfAuthor = new int[data.users()];
        Arrays.setAll(bucketOfAuthor, byAuthor::bucket);
        int[] index = new int[1 << (TAGS * TAG_BITS)];
        Arrays.setAll(
                index,
                cell ->
                        (int)
                                curve.index(
                                        cell >> (2 * TAG_BITS),
                                        cell >> TAG_BITS & BUCKET_MAX,
                                        cell & BUCKET_MAX));
        char[] indexOfTweet = new char[nodeOfTweet.length];
        int[] counts = new int[index.length];
        for (int tweet = 0; tweet < nodeOfTweet.length; tweet++) {
            indexOfTweet[tweet] =
                    (char)
                            index[
                                    cell(
                                            bucketOfAuthor[data.author(tweet)],
                                            bucket(data.mention(tweet)),
                                            bucket(data.hashtag(tweet)))];
            counts[indexOfTweet[tweet]]++;
        }
        System.arraycopy(even(nodeOfUser.length, nodes), 0, nodeOfUser, 0, nodeOfUser.length);
        char[] node = even(nodeOfTweet.length, nodes);
        int[] next = starts(counts);
        for (int tweet = 0; tweet < nodeOfTweet.length; tweet++) {
            nodeOfTweet[tweet] = node[next[indexOfTweet[tweet]]++];
        }
        // The index of each node's first tweet: that of the last key which begins there or before.
        int[] firsts = new int[nodes];
        int key = 0;
        for (int one = 0; one < nodes; one++) {
            int position = (int) ((long) one * nodeOfTweet.length / nodes);
            while (next[key] <= position) { // the ends of the keys by now
                key++;
            }
            firsts[one] = key;
        }
        for (int dimension = 1; dimension < TAGS; dimension++) {
            for (int bucket = 0; bucket <= BUCKET_MAX; bucket++) {
                nodesOfSlab[slab(dimension, bucket)] = crossed(index, firsts, dimension, bucket);
            }
        }
    }

    private static int cell(int author, int mention, int hashtag) {
        return (author << (2 * TAG_BITS)) | (mention << TAG_BITS) | hashtag;
    }

    /** Nodes whose range of the curve has a cell of the slab. */
    private int[] crossed(int[] index, int[] firsts, int dimension, int bucket) {
        boolean[] asked = new boolean[nodes];
        for (int author = 0; author <= BUCKET_MAX; author++) {
            for (int other = 0; other <= BUCKET_MAX; other++) {
                int cell =
                        dimension == 1 ? cell(author, bucket, other) : cell(author, other, bucket);
                // A cell with many tuples is divided among several nodes.
                int last = upper(firsts, index[cell]);
                for (int node = last; node >= 0; node--) {
                    asked[node] = true;
                    if (firsts[node] < index[cell]) {
                        break;
                    }
                }
            }
        }
        return IntStream.range(0, nodes).filter(node -> asked[node]).toArray();
    }

    /** The last node whose range begins at or before the index. */
    private static int upper(int[] firsts, int index) {
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
        byAuthor(data, ranks(key));
    }

    /** The place of each user when sorted by these keys; equal keys are ordered by user. */
    private static int[] ranks(long[] key) {
        int[] rank = new int[key.length];
        long[] sorted = new long[key.length];
        for (int user = 0; user < key.length; user++) {
            sorted[user] = key[user] << ID_BITS | user;
        }
        Arrays.sort(sorted);
        for (int at = 0; at < sorted.length; at++) {
            rank[(int) sorted[at]] = at;
        }
        return rank;
    }

    /**
     * Users and tweets are divided evenly in the order of the authors' ranks; tweets of an author
     * in that of their time.
     */
    private void byAuthor(SocialData data, int[] rank) {
        char[] nodeOfRank = even(nodeOfUser.length, nodes);
        int[] counts = new int[rank.length];
        for (int tweet = 0; tweet < nodeOfTweet.length; tweet++) {
            counts[rank[data.author(tweet)]]++;
        }
        for (int user = 0; user < rank.length; user++) {
            nodeOfUser[user] = nodeOfRank[rank[user]];
        }
        char[] node = even(nodeOfTweet.length, nodes);
        int[] next = starts(counts);
        for (int tweet = 0; tweet < nodeOfTweet.length; tweet++) {
            nodeOfTweet[tweet] = node[next[rank[data.author(tweet)]]++];
        }
    }

    private void groups(SocialData data) {
        int[] group =
                new Streaming(nodes, PASSES, SLACK).partition(data.undirected(), data.weights());
        grouped(group, data);
    }

    private void grouped(int[] group, SocialData data) {
        for (int user = 0; user < group.length; user++) {
            nodeOfUser[user] = (char) group[user];
        }
        for (int tweet = 0; tweet < nodeOfTweet.length; tweet++) {
            nodeOfTweet[tweet] = nodeOfUser[data.author(tweet)];
        }
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
        byAuthor(data, ranks(key));
    }

    /**
     * Numbers of nested groups as prefixes. Ranges of prefixes are divided among the nodes, and
     * those of users and tweets at the same prefixes.
     */
    private void prefixes(SocialData data) {
        int depth = Integer.SIZE - Integer.numberOfLeadingZeros(nodes * LEAVES_PER_NODE - 1);
        double[] weights = data.weights();
        int[] number = new NestedGroups(nodes, depth).numbers(data.undirected(), weights);
        long[] key = new long[number.length];
        long[] tuples = new long[1 << depth];
        for (int user = 0; user < number.length; user++) {
            key[user] = number[user];
            tuples[number[user]] += (long) weights[user];
        }
        int[] rank = ranks(key);
        int[] counts = new int[rank.length];
        for (int user = 0; user < rank.length; user++) {
            counts[rank[user]] = (int) weights[user];
        }
        int[] next = starts(counts);
        char[] node = new char[nodeOfUser.length + nodeOfTweet.length];
        long[] starts = PrefixRanges.starts(tuples, nodes);
        for (int one = 0; one < nodes; one++) {
            Arrays.fill(node, (int) starts[one], (int) starts[one + 1], (char) one);
        }
        for (int user = 0; user < rank.length; user++) {
            nodeOfUser[user] = node[next[rank[user]]++];
        }
        for (int tweet = 0; tweet < nodeOfTweet.length; tweet++) {
            nodeOfTweet[tweet] = node[next[rank[data.author(tweet)]]++];
        }
    }
}
