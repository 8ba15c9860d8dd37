package petrichor.placement.simulation;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Runs the same operations on the same data under one layout after the other. Immutable. */
public final class Simulation {
    private static final double MILLIS_PER_SECOND = 1_000;
    private static final int EVENT_BITS = 32;
    private static final double P99 = 0.99;

    /** Operations whose requests wait in queues; the others only count nodes. */
    private static final int TIMED_MAX = 5_000;

    private final SocialData data;
    private final Operations operations;
    private final int nodes;
    private final Timing timing;
    private final long seed;

    /**
     * @param count operations that are simulated
     */
    public Simulation(SocialData data, int nodes, int count, Timing timing, long seed) {
        this.data = data;
        this.operations = Operations.draw(data, count, seed);
        this.nodes = nodes;
        this.timing = timing;
        this.seed = seed;
    }

    public Outcome run(Strategy strategy, Indexing indexing) {
        return new Run(strategy, Layout.of(strategy, data, nodes, seed), indexing).outcome();
    }

    /** The outcome for each kind of index. */
    public Map<Indexing, Outcome> run(Strategy strategy) {
        return run(strategy, Layout.of(strategy, data, nodes, seed));
    }

    /** The outcomes of several strategies, which are simulated at the same time. */
    public Map<Strategy, Map<Indexing, Outcome>> run(List<Strategy> strategies) {
        Map<Strategy, Map<Indexing, Outcome>> outcomes = new EnumMap<>(Strategy.class);
        strategies.parallelStream()
                .map(strategy -> Map.entry(strategy, run(strategy)))
                .forEachOrdered(entry -> outcomes.put(entry.getKey(), entry.getValue()));
        return outcomes;
    }

    /**
     * The outcome with groups that METIS found.
     *
     * @param group of each user, from 0 to the number of nodes less 1
     */
    public Map<Indexing, Outcome> ofMetis(int[] group) {
        return run(Strategy.METIS, Layout.ofGroups(group, data, nodes));
    }

    private Map<Indexing, Outcome> run(Strategy strategy, Layout layout) {
        Map<Indexing, Outcome> outcomes = new EnumMap<>(Indexing.class);
        for (Indexing indexing : Indexing.values()) {
            outcomes.put(indexing, new Run(strategy, layout, indexing).outcome());
        }
        return outcomes;
    }

    /** One layout with one kind of index. */
    private final class Run {
        private final Strategy strategy;
        private final Layout layout;
        private final Indexing indexing;
        private final NodeSet contacted = new NodeSet(nodes);
        private final int[] contacts = new int[operations.count()];
        private final long[] requests = new long[nodes];
        private final int timed = Math.min(TIMED_MAX, operations.count());

        /** Operations that ask every node, and are not in {@link #requests}. */
        private long broadcasts;

        /** Requests: the operation, the node and its tuples. */
        private int[] operationOf = new int[1024];

        private int[] nodeOf = new int[1024];
        private int[] tuplesOf = new int[1024];
        private int events;

        Run(Strategy strategy, Layout layout, Indexing indexing) {
            this.strategy = strategy;
            this.layout = layout;
            this.indexing = indexing;
        }

        Outcome outcome() {
            for (int k = 0; k < operations.count(); k++) {
                if (k >= timed && isBroadcast(k)) {
                    contacts[k] = nodes;
                    broadcasts++;
                    continue;
                }
                contacted.clear();
                contact(k);
                contacts[k] = contacted.size();
                for (int n = 0; n < contacted.size(); n++) {
                    requests[contacted.member(n)]++;
                    if (k < timed) {
                        event(k, contacted.member(n), contacted.tuples(n));
                    }
                }
            }
            for (int node = 0; node < nodes; node++) {
                requests[node] += broadcasts;
            }
            double[] latency = latencies();
            Map<Operation, Outcome.Cost> costs = new EnumMap<>(Operation.class);
            for (Operation operation : Operation.values()) {
                costs.put(operation, cost(operation, latency));
            }
            double[] sorted = latency.clone();
            Arrays.sort(sorted);
            return new Outcome(
                    strategy,
                    indexing,
                    costs,
                    Arrays.stream(contacts).average().orElse(0),
                    imbalance(tuples()),
                    imbalance(requests),
                    Arrays.stream(latency).average().orElse(0),
                    sorted.length == 0 ? 0 : sorted[(int) (P99 * (sorted.length - 1))]);
        }

        private boolean isBroadcast(int k) {
            return indexing == Indexing.NONE
                    && switch (operations.kind()[k]) {
                        case CONTAINS_HASHTAG -> layout.asksAll(2, operations.subject()[k]);
                        case MENTIONS -> layout.asksAll(1, operations.subject()[k]);
                        case FRIENDS_TIMELINE,
                                USER_TIMELINE,
                                UPDATE,
                                FRIENDSHIP_CREATE,
                                FRIENDSHIP_DESTROY ->
                                false;
                    };
        }

        private void contact(int k) {
            int subject = operations.subject()[k];
            int[] tweets = operations.tweets()[k];
            switch (operations.kind()[k]) {
                case FRIENDS_TIMELINE -> {
                    contacted.add(layout.ofUser(subject));
                    if (indexing != Indexing.TIMELINES) {
                        addAll(tweets);
                    }
                }
                case USER_TIMELINE -> addAll(tweets);
                case CONTAINS_HASHTAG -> tagged(2, subject, tweets);
                case MENTIONS -> tagged(1, subject, tweets);
                case UPDATE -> update(tweets[0]);
                case FRIENDSHIP_CREATE, FRIENDSHIP_DESTROY -> {
                    contacted.add(layout.ofUser(subject));
                    contacted.add(layout.ofUser((subject + 1) % data.users()));
                }
            }
        }

        private void addAll(int[] tweets) {
            for (int tweet : tweets) {
                contacted.add(layout.ofTweet(tweet));
            }
        }

        private void tagged(int dimension, int tag, int[] tweets) {
            if (indexing == Indexing.NONE) {
                for (int node : layout.nodesAsked(Layout.slab(dimension, Layout.bucket(tag)))) {
                    contacted.add(node);
                }
                addAll(tweets);
            } else {
                contacted.add(indexNode(dimension, tag));
            }
        }

        private int indexNode(int dimension, int tag) {
            return Math.floorMod(Integer.hashCode(tag * 31 + dimension) * 0x9e3779b1, nodes);
        }

        private void update(int tweet) {
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

        private void event(int operation, int node, int tuples) {
            if (events == operationOf.length) {
                operationOf = Arrays.copyOf(operationOf, 2 * events);
                nodeOf = Arrays.copyOf(nodeOf, 2 * events);
                tuplesOf = Arrays.copyOf(tuplesOf, 2 * events);
            }
            operationOf[events] = operation;
            nodeOf[events] = node;
            tuplesOf[events++] = tuples;
        }

        /**
         * Requests reach their nodes after the time of a link, wait for those that arrived earlier,
         * and are answered; an operation ends with its last answer. Milliseconds.
         */
        private double[] latencies() {
            SplittableRandom random = new SplittableRandom(seed);
            double[] begin = new double[timed];
            double now = 0;
            for (int k = 0; k < begin.length; k++) {
                now -=
                        Math.log(1 - random.nextDouble())
                                / timing.operationsPerSecond()
                                * MILLIS_PER_SECOND;
                begin[k] = now;
            }
            double[] arrival = new double[events];
            long[] order = new long[events];
            double last = 0;
            for (int e = 0; e < events; e++) {
                arrival[e] = begin[operationOf[e]] + link(random);
                last = Math.max(last, arrival[e]);
            }
            double ticks = Integer.MAX_VALUE / Math.max(1, last); // per millisecond
            for (int e = 0; e < events; e++) {
                order[e] = (long) (arrival[e] * ticks) << EVENT_BITS | e;
            }
            Arrays.sort(order);
            double[] freeAt = new double[nodes];
            double[] end = begin.clone();
            for (long packed : order) {
                int e = (int) packed;
                int node = nodeOf[e];
                double served =
                        Math.max(freeAt[node], arrival[e])
                                + timing.requestMillis()
                                + tuplesOf[e] * timing.tupleMillis();
                freeAt[node] = served;
                int k = operationOf[e];
                end[k] = Math.max(end[k], served + link(random));
            }
            double[] latency = new double[begin.length];
            Arrays.setAll(latency, k -> end[k] - begin[k]);
            return latency;
        }

        private double link(SplittableRandom random) {
            return timing.linkMillisMin()
                    + random.nextDouble() * (timing.linkMillisMax() - timing.linkMillisMin());
        }

        private Outcome.Cost cost(Operation operation, double[] latency) {
            int[] sorted = new int[operations.count()];
            int count = 0;
            double nodesSum = 0;
            double latencySum = 0;
            int latencies = 0;
            for (int k = 0; k < operations.count(); k++) {
                if (operations.kind()[k] == operation) {
                    sorted[count++] = contacts[k];
                    nodesSum += contacts[k];
                    if (k < timed) {
                        latencySum += latency[k];
                        latencies++;
                    }
                }
            }
            Arrays.sort(sorted, 0, count);
            return count == 0
                    ? new Outcome.Cost(0, 0, 0, 0, 0)
                    : new Outcome.Cost(
                            nodesSum / count,
                            sorted[(count - 1) / 2],
                            sorted[(int) (P99 * (count - 1))],
                            latencySum / Math.max(1, latencies),
                            count);
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

        private double imbalance(long[] amounts) {
            double mean = Arrays.stream(amounts).average().orElse(0);
            return mean == 0 ? 1 : Arrays.stream(amounts).max().orElse(0) / mean;
        }
    }
}
