package petrichor.bench.social;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.TextTable;
import petrichor.bench.LogChart;
import petrichor.placement.graph.Communities;
import petrichor.placement.graph.EdgeList;
import petrichor.placement.graph.Graph;
import petrichor.placement.partition.Streaming;
import petrichor.placement.simulation.Indexing;
import petrichor.placement.simulation.Operation;
import petrichor.placement.simulation.Outcome;
import petrichor.placement.simulation.Simulation;
import petrichor.placement.simulation.SocialData;
import petrichor.placement.simulation.Strategy;
import petrichor.placement.simulation.Timing;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code petrichor bench social}: the social workload of seed 004, by simulation. */
@Command(
        name = "social",
        mixinStandardHelpOptions = true,
        description =
                "Simulate a social network on many nodes: what each placement of its tuples costs.")
public final class SocialCommand implements Callable<Integer> {
    /** Sizes of the generated communities. */
    private static final int COMMUNITY_MIN = 20;

    private static final int COMMUNITY_MAX = 300;

    /** Of the groups that show the communities of a graph from a file. */
    private static final int PASSES = 3;

    private static final double SLACK = 1.1;

    /** Timelines that are read for each figure of a scenario. */
    private static final int TIMELINES = 5_000;

    /** Users of a network from which on progress is printed. */
    private static final int PROGRESS_MIN = 100_000;

    @Option(
            names = "--users",
            defaultValue = "10000",
            description = "Users of a generated graph (${DEFAULT-VALUE}).")
    int users = 10_000;

    @Option(
            names = "--followees",
            defaultValue = "18",
            description = "Mean number of followees in a generated graph (${DEFAULT-VALUE}).")
    double followees = 18;

    @Option(
            names = "--mixing",
            split = ",",
            defaultValue = "0.1,0.3,0.6,1.0",
            description =
                    "Shares of follow edges that leave the community of a user, one graph for each"
                            + " (${DEFAULT-VALUE}).")
    List<Double> mixing = List.of();

    @Option(
            names = "--graph",
            paramLabel = "FILE",
            description =
                    "A graph instead of generated ones: a line per edge, FOLLOWER FOLLOWEE, as SNAP"
                            + " publishes them.")
    @Nullable Path file;

    @Option(
            names = "--nodes",
            defaultValue = "100",
            description = "Nodes that hold the tuples (${DEFAULT-VALUE}).")
    int nodes = 100;

    @Option(
            names = "--tweets",
            defaultValue = "20",
            description = "Mean number of tweets per user (${DEFAULT-VALUE}).")
    int tweets = 20;

    @Option(
            names = "--activity",
            defaultValue = "0.5",
            description =
                    "Skew of tweets over users: 0 is even, 1 is Zipf's distribution"
                            + " (${DEFAULT-VALUE}).")
    double activity = 0.5;

    @Option(
            names = "--operations",
            defaultValue = "45000",
            description = "Simulated operations (${DEFAULT-VALUE}).")
    int operations = 45_000;

    @Option(
            names = "--rate",
            defaultValue = "2000",
            description = "Operations per second (${DEFAULT-VALUE}).")
    double rate = 2_000;

    @Option(
            names = "--request-micros",
            defaultValue = "50",
            description = "Time of a node for a request (${DEFAULT-VALUE}).")
    double requestMicros = 50;

    @Option(
            names = "--tuple-micros",
            defaultValue = "10",
            description = "Time of a node for each tuple, in addition (${DEFAULT-VALUE}).")
    double tupleMicros = 10;

    @Option(
            names = "--placement",
            split = ",",
            description = "Placements: ${COMPLETION-CANDIDATES}. Default: all.")
    List<Strategy> placements = Strategy.OWN;

    @Option(
            names = "--peer",
            paramLabel = "PROGRAM",
            description =
                    "METIS, to compare its groups: gpmetis, or its path. Debian has it in the"
                            + " package metis.")
    @Nullable String peer;

    @Option(
            names = "--scenarios",
            description =
                    "Also simulate drift of the last graph, nodes that join and leave, replicas,"
                            + " and a persistent layer with gossip.")
    boolean scenarios;

    @Option(
            names = "--seed",
            defaultValue = "1",
            description = "Seed of graph, tweets and operations (${DEFAULT-VALUE}).")
    long seed = 1;

    @Option(
            names = "--out",
            defaultValue = "docs/bench",
            description = "Folder for CSV and SVG (${DEFAULT-VALUE}).")
    Path out = Path.of("docs/bench");

    private @Nullable SocialData latest;

    private final StringBuilder csv =
            new StringBuilder(
                    "graph,mixing,placement,indexing,operation,nodes_mean,nodes_p50,nodes_p99,"
                            + "messages_mean,latency_ms_mean,tuples_max_to_mean,"
                            + "requests_max_to_mean\n");

    @Override
    public Integer call() throws IOException {
        LogChart chart =
                new LogChart(
                        "Nodes contacted by a timeline of friends", "mixing of the graph", "nodes");
        if (file == null) {
            for (double share : mixing) {
                Communities.Generated generated =
                        new Communities(users, share, followees, COMMUNITY_MIN, COMMUNITY_MAX, seed)
                                .generate();
                int[] community = generated.community();
                double measured = generated.graph().mixing(user -> community[user]);
                System.out.printf(
                        Locale.ROOT,
                        "%nGraph: %,d users, %,d edges, %,d communities, mixing %.2f, modularity"
                                + " %.2f%n%n",
                        generated.graph().vertices(),
                        generated.graph().edges(),
                        generated.communities(),
                        measured,
                        generated
                                .graph()
                                .modularity(user -> community[user], generated.communities()));
                run("generated", measured, generated.graph(), chart);
            }
        } else {
            Graph graph = EdgeList.read(file);
            double[] weights = new double[graph.vertices()];
            Arrays.fill(weights, 1);
            int[] group =
                    new Streaming(nodes, PASSES, SLACK).partition(graph.undirected(), weights);
            double measured = graph.mixing(user -> group[user]);
            System.out.printf(
                    Locale.ROOT,
                    "%nGraph: %,d users, %,d edges; divided into %d groups: mixing %.2f, modularity"
                            + " %.2f%n%n",
                    graph.vertices(),
                    graph.edges(),
                    nodes,
                    measured,
                    graph.modularity(user -> group[user], nodes));
            run(String.valueOf(file.getFileName()), measured, graph, chart);
        }
        if (scenarios && latest != null) {
            new SocialScenarios(latest, nodes, TIMELINES, seed).run(out);
        }
        Files.createDirectories(out);
        Files.writeString(out.resolve("social-simulation.csv"), csv);
        Files.writeString(out.resolve("social-simulation.svg"), chart.svg());
        return 0;
    }

    private void run(String name, double share, Graph graph, LogChart chart) throws IOException {
        long start = System.nanoTime();
        SocialData data = SocialData.of(graph, tweets, activity, seed);
        progress(start, "%,d tweets", data.tweets());
        Simulation simulation =
                new Simulation(
                        data,
                        nodes,
                        operations,
                        new Timing(1, 2, requestMicros / 1e3, tupleMicros / 1e3, rate),
                        seed);
        progress(start, "%,d operations", operations);
        TextTable table = TextTable.metrics(System.out);
        Map<Strategy, Map<Indexing, Outcome>> all =
                simulation.run(placements, placement -> progress(start, "%s", placement.label()));
        double seconds = (System.nanoTime() - start) / 1e9;
        if (peer != null) {
            all.put(
                    Strategy.METIS,
                    simulation.ofMetis(
                            new Metis(peer).partition(data.undirected(), data.weights(), nodes)));
        }
        for (Map.Entry<Strategy, Map<Indexing, Outcome>> entry : all.entrySet()) {
            Strategy strategy = entry.getKey();
            Map<Indexing, Outcome> outcomes = entry.getValue();
            for (Outcome outcome : outcomes.values()) {
                record(name, share, outcome);
            }
            Outcome bare = requireNonNull(outcomes.get(Indexing.NONE));
            Outcome indexed = requireNonNull(outcomes.get(Indexing.INDEXES));
            Outcome materialised = requireNonNull(outcomes.get(Indexing.TIMELINES));
            chart.point(strategy.label(), share, nodesOf(indexed, Operation.FRIENDS_TIMELINE));
            table.row(
                    "placement",
                    strategy.label(),
                    "friends timeline",
                    rounded(nodesOf(indexed, Operation.FRIENDS_TIMELINE)),
                    "user timeline",
                    rounded(nodesOf(indexed, Operation.USER_TIMELINE)),
                    "mention, no index",
                    rounded(nodesOf(bare, Operation.MENTIONS)),
                    "fan-out of a tweet",
                    rounded(nodesOf(materialised, Operation.UPDATE)),
                    "all, no index",
                    rounded(bare.nodesMean()),
                    "all, indexes",
                    rounded(indexed.nodesMean()),
                    "all, timelines",
                    rounded(materialised.nodesMean()),
                    "tuples max/mean",
                    rounded(indexed.tupleImbalance()),
                    "requests max/mean",
                    rounded(indexed.requestImbalance()),
                    "ms",
                    rounded(indexed.latencyMillisMean()),
                    "p99 ms",
                    rounded(indexed.latencyMillisP99()));
        }
        table.end();
        System.out.printf(
                Locale.ROOT,
                "%d placements of %,d tuples with 3 kinds of indexes: %.2f s%n",
                placements.size(),
                data.tweets() + graph.vertices(),
                seconds);
        latest = data;
    }

    /** Large networks take minutes. */
    private void progress(long start, String format, Object done) {
        if (users >= PROGRESS_MIN || file != null) {
            double seconds = (System.nanoTime() - start) / 1e9;
            System.err.printf(Locale.ROOT, "%5.1f s: " + format + "%n", seconds, done);
        }
    }

    private static double nodesOf(Outcome outcome, Operation operation) {
        Outcome.Cost cost = outcome.costs().get(operation);
        return cost == null ? 0 : cost.nodesMean();
    }

    private static String rounded(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    private void record(String name, double share, Outcome outcome) {
        for (Operation operation : Operation.values()) {
            Outcome.Cost cost = outcome.costs().get(operation);
            if (cost == null || cost.count() == 0) {
                continue;
            }
            csv.append(
                    String.format(
                            Locale.ROOT,
                            "%s,%.3f,%s,%s,%s,%.3f,%d,%d,%.3f,%.3f,%.3f,%.3f%n",
                            name,
                            share,
                            outcome.strategy().label(),
                            outcome.indexing().name().toLowerCase(Locale.ROOT),
                            operation.label(),
                            cost.nodesMean(),
                            cost.nodesP50(),
                            cost.nodesP99(),
                            cost.messagesMean(),
                            cost.latencyMillisMean(),
                            outcome.tupleImbalance(),
                            outcome.requestImbalance()));
        }
    }
}
