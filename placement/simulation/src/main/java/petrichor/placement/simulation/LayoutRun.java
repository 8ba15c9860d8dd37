package petrichor.placement.simulation;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** Runs the operations under one layout with each kind of index. Confined to one thread. */
final class LayoutRun {
    private static final double P99 = 0.99;

    /** Operations whose requests wait in queues; the others only count nodes. */
    private static final int TIMED_MAX = 5_000;

    /** Requests that wait in queues, about 40 bytes each; fewer operations do on many nodes. */
    private static final int REQUESTS_MAX = 5_000_000;

    private final Strategy strategy;
    private final Layout layout;
    private final SocialData data;
    private final Operations operations;
    private final int nodes;
    private final int timed;
    private final NodeSet contacted;
    private final Queues queues;

    /** The last operation that contacted a node, plus 1. */
    private final int[] lastOf;

    LayoutRun(
            Strategy strategy,
            Layout layout,
            SocialData data,
            Operations operations,
            Timing timing,
            long seed) {
        this.strategy = strategy;
        this.layout = layout;
        this.data = data;
        this.operations = operations;
        this.nodes = layout.nodes();
        this.timed = Math.min(Math.min(TIMED_MAX, REQUESTS_MAX / nodes), operations.count());
        this.contacted = new NodeSet(nodes);
        this.queues = new Queues(nodes, timed, timing, seed);
        this.lastOf = new int[nodes];
    }

    Map<Indexing, Outcome> outcomes() {
        NodeCounts tweets = new NodeCounts(nodes);
        NodeCounts rows = new NodeCounts(nodes);
        NodeCounts indexes = new NodeCounts(nodes);
        NodeCounts always = new NodeCounts(nodes);
        for (int k = timed; k < operations.count(); k++) {
            Operation operation = operations.kind()[k];
            int subject = operations.subject()[k];
            switch (operation) {
                case FRIENDS_TIMELINE -> {
                    distinct(k, tweets, true);
                    rows.requests()[layout.ofUser(subject)]++;
                    rows.add(operation, 1);
                }
                case USER_TIMELINE -> distinct(k, always, false);
                case CONTAINS_HASHTAG, MENTIONS -> {
                    int dimension = operation == Operation.MENTIONS ? 1 : 2;
                    indexes.requests()[indexNode(dimension, subject)]++;
                    indexes.add(operation, 1);
                }
                case FRIENDSHIP_CREATE, FRIENDSHIP_DESTROY -> contact(k, Indexing.NONE, always);
                case UPDATE -> {}
            }
        }
        double tupleImbalance = NodeCounts.imbalance(tuples());
        Map<Indexing, Outcome> outcomes = new EnumMap<>(Indexing.class);
        for (Indexing indexing : Indexing.values()) {
            NodeCounts counts = new NodeCounts(nodes);
            counts.addAll(always);
            counts.addAll(indexing == Indexing.TIMELINES ? rows : tweets);
            if (indexing != Indexing.NONE) {
                counts.addAll(indexes);
            }
            outcomes.put(indexing, outcome(indexing, counts, tupleImbalance));
        }
        return outcomes;
    }

    /** The nodes of an operation's tweets, and that of the user if the operation needs its row. */
    private void distinct(int k, NodeCounts counts, boolean user) {
        long[] requests = counts.requests();
        int mark = k + 1;
        int count = 0;
        if (user) {
            int node = layout.ofUser(operations.subject()[k]);
            lastOf[node] = mark;
            requests[node]++;
            count++;
        }
        for (int at = operations.start(k); at < operations.start(k + 1); at++) {
            int node = layout.ofTweet(operations.tweets()[at]);
            int fresh = lastOf[node] == mark ? 0 : 1;
            lastOf[node] = mark;
            requests[node] += fresh;
            count += fresh;
        }
        counts.add(operations.kind()[k], count);
    }

    /**
     * @param counts has those operations that are not timed and differ between some kinds of
     *     indexes only
     */
    private Outcome outcome(Indexing indexing, NodeCounts counts, double tupleImbalance) {
        queues.clear();
        for (int k = 0; k < timed; k++) {
            contact(k, indexing, counts);
            queues.add(k, contacted);
        }
        for (int k = timed; k < operations.count(); k++) {
            switch (operations.kind()[k]) {
                case UPDATE -> contact(k, indexing, counts);
                case CONTAINS_HASHTAG -> unindexed(2, k, indexing, counts);
                case MENTIONS -> unindexed(1, k, indexing, counts);
                case FRIENDS_TIMELINE, USER_TIMELINE, FRIENDSHIP_CREATE, FRIENDSHIP_DESTROY -> {}
            }
        }
        double[] latency = queues.latencies();
        Map<Operation, Outcome.Cost> costs = new EnumMap<>(Operation.class);
        for (Operation operation : Operation.values()) {
            costs.put(operation, counts.cost(operation, latencyMean(operation, latency)));
        }
        double[] sorted = latency.clone();
        Arrays.sort(sorted);
        return new Outcome(
                strategy,
                indexing,
                costs,
                counts.mean(),
                tupleImbalance,
                counts.requestImbalance(),
                Arrays.stream(latency).average().orElse(0),
                sorted.length == 0 ? 0 : sorted[(int) (P99 * (sorted.length - 1))]);
    }

    private double latencyMean(Operation operation, double[] latency) {
        double sum = 0;
        int count = 0;
        for (int k = 0; k < latency.length; k++) {
            if (operations.kind()[k] == operation) {
                sum += latency[k];
                count++;
            }
        }
        return sum / Math.max(1, count);
    }

    /** A read by tag, if there is no index for it. */
    private void unindexed(int dimension, int k, Indexing indexing, NodeCounts counts) {
        if (indexing != Indexing.NONE) {
            return;
        }
        if (layout.asksAll(dimension, operations.subject()[k])) {
            counts.addBroadcast(operations.kind()[k]);
        } else {
            contact(k, indexing, counts);
        }
    }

    /** Collects the nodes of an operation in {@link #contacted}. */
    private void contact(int k, Indexing indexing, NodeCounts counts) {
        contacted.clear();
        collect(k, indexing);
        counts.add(operations.kind()[k], contacted.size());
        for (int n = 0; n < contacted.size(); n++) {
            counts.requests()[contacted.member(n)]++;
        }
    }

    private void collect(int k, Indexing indexing) {
        int subject = operations.subject()[k];
        switch (operations.kind()[k]) {
            case FRIENDS_TIMELINE -> {
                contacted.add(layout.ofUser(subject));
                if (indexing != Indexing.TIMELINES) {
                    addTweets(k);
                }
            }
            case USER_TIMELINE -> addTweets(k);
            case CONTAINS_HASHTAG -> tagged(2, k, indexing);
            case MENTIONS -> tagged(1, k, indexing);
            case UPDATE -> update(operations.tweets()[operations.start(k)], indexing);
            case FRIENDSHIP_CREATE, FRIENDSHIP_DESTROY -> {
                contacted.add(layout.ofUser(subject));
                contacted.add(layout.ofUser((subject + 1) % data.users()));
            }
        }
    }

    private void addTweets(int k) {
        for (int at = operations.start(k); at < operations.start(k + 1); at++) {
            contacted.add(layout.ofTweet(operations.tweets()[at]));
        }
    }

    private void tagged(int dimension, int k, Indexing indexing) {
        int tag = operations.subject()[k];
        if (indexing == Indexing.NONE) {
            for (int node : layout.nodesAsked(Layout.slab(dimension, Layout.bucket(tag)))) {
                contacted.add(node);
            }
            addTweets(k);
        } else {
            contacted.add(indexNode(dimension, tag));
        }
    }

    private int indexNode(int dimension, int tag) {
        return Math.floorMod(Integer.hashCode(tag * 31 + dimension) * 0x9e3779b1, nodes);
    }

    private void update(int tweet, Indexing indexing) {
        contacted.add(layout.ofTweet(tweet));
        if (indexing != Indexing.NONE) {
            if (data.mention(tweet) != SocialData.NONE) {
                contacted.add(indexNode(1, data.mention(tweet)));
            }
            if (data.hashtag(tweet) != SocialData.NONE) {
                contacted.add(indexNode(2, data.hashtag(tweet)));
            }
        }
        if (indexing == Indexing.TIMELINES) {
            int author = data.author(tweet);
            for (int f = 0; f < data.followers().degree(author); f++) {
                contacted.add(layout.ofUser(data.followers().target(author, f)));
            }
        }
    }

    private long[] tuples() {
        long[] tuples = new long[nodes];
        for (int tweet = 0; tweet < data.tweets(); tweet++) {
            tuples[layout.ofTweet(tweet)]++;
        }
        for (int user = 0; user < data.users(); user++) {
            tuples[layout.ofUser(user)]++;
        }
        return tuples;
    }
}
