package petrichor.bench.social;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import petrichor.base.TextTable;
import petrichor.bench.LogChart;
import petrichor.placement.simulation.Drift;
import petrichor.placement.simulation.Membership;
import petrichor.placement.simulation.Replication;
import petrichor.placement.simulation.SocialData;
import petrichor.placement.simulation.Strategy;
import petrichor.placement.simulation.TwoLayers;

/**
 * What happens to placements over time: drift of the graph, nodes that join and leave, replicas,
 * and the two layers of the thesis behind seed 004.
 *
 * @param timelines of friends that are read for each figure
 */
record SocialScenarios(SocialData data, int nodes, int timelines, long seed) {
    private static final List<Strategy> MOVABLE =
            List.of(
                    Strategy.RANDOM,
                    Strategy.ORDERED,
                    Strategy.AFFINITY_GROUPS,
                    Strategy.AFFINITY_PREFIX);

    private static final double DRIFT_PER_DAY = 0.02;
    private static final int DAYS = 14;
    private static final double HOT_SHARE = 0.01;
    private static final int WRITES = 200;

    /** Writes social-scenarios.csv and social-drift.svg. */
    void run(Path out) throws IOException {
        StringBuilder csv = new StringBuilder("scenario,subject,measure,value\n");
        drift(csv, out);
        membership(csv);
        replication(csv);
        layers(csv);
        Files.createDirectories(out);
        Files.writeString(out.resolve("social-scenarios.csv"), csv);
    }

    private static String rounded(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static void add(
            StringBuilder csv, String scenario, String subject, String measure, double value) {
        csv.append(scenario)
                .append(',')
                .append(subject)
                .append(',')
                .append(measure)
                .append(',')
                .append(rounded(value))
                .append('\n');
    }

    private void drift(StringBuilder csv, Path out) throws IOException {
        System.out.printf(
                Locale.ROOT,
                "%nDrift: %.0f %% of the edges change per day; nodes per timeline of friends%n%n",
                100 * DRIFT_PER_DAY);
        LogChart chart = new LogChart("Nodes contacted while the graph drifts", "day", "nodes");
        TextTable table = TextTable.metrics(System.out);
        for (Drift.Day day : new Drift(DRIFT_PER_DAY, DAYS).run(data, nodes, timelines, seed)) {
            String name = "day " + day.day();
            table.row(
                    "day",
                    String.valueOf(day.day()),
                    "groups of day 0",
                    rounded(day.stale()),
                    "adapted daily",
                    rounded(day.adapted()),
                    "partitioned daily",
                    rounded(day.fresh()),
                    "tuples moved",
                    rounded(day.moved()));
            add(csv, "drift", name, "stale_nodes", day.stale());
            add(csv, "drift", name, "adapted_nodes", day.adapted());
            add(csv, "drift", name, "fresh_nodes", day.fresh());
            add(csv, "drift", name, "moved_share", day.moved());
            if (day.day() > 0) {
                chart.point("groups of day 0", day.day(), day.stale());
                chart.point("adapted daily", day.day(), day.adapted());
                chart.point("partitioned daily", day.day(), day.fresh());
            }
        }
        table.end();
        Files.createDirectories(out);
        Files.writeString(out.resolve("social-drift.svg"), chart.svg());
    }

    private void membership(StringBuilder csv) {
        int changes = Math.max(1, nodes / 5);
        System.out.printf(Locale.ROOT, "%nMembership: %d nodes join, and leave again%n%n", changes);
        TextTable table = TextTable.metrics(System.out);
        for (Strategy strategy : MOVABLE) {
            List<Membership.State> states =
                    new Membership(changes).run(strategy, data, nodes, timelines, seed);
            for (int k = 0; k < states.size(); k++) {
                Membership.State state = states.get(k);
                String step = List.of("before", "joined", "left").get(k);
                table.row(
                        "placement",
                        strategy.label(),
                        "state",
                        step,
                        "nodes",
                        String.valueOf(state.nodes()),
                        "nodes per timeline",
                        rounded(state.timelineNodes()),
                        "tuples moved",
                        rounded(state.moved()),
                        "tuples max/mean",
                        rounded(state.imbalance()));
                String subject = strategy.label() + " " + step;
                add(csv, "membership", subject, "timeline_nodes", state.timelineNodes());
                add(csv, "membership", subject, "moved_share", state.moved());
                add(csv, "membership", subject, "tuples_max_to_mean", state.imbalance());
            }
        }
        table.end();
    }

    private void replication(StringBuilder csv) {
        System.out.printf(
                Locale.ROOT,
                "%nReplicas: read one, read a majority, and %.0f %% hot users on every node%n%n",
                100 * HOT_SHARE);
        TextTable table = TextTable.metrics(System.out);
        for (Strategy strategy : MOVABLE) {
            for (Replication replication :
                    List.of(
                            new Replication(1, 1, 0),
                            new Replication(3, 1, 0),
                            new Replication(3, 2, 0),
                            new Replication(1, 1, HOT_SHARE))) {
                Replication.Result result = replication.run(strategy, data, nodes, timelines, seed);
                table.row(
                        "placement",
                        strategy.label(),
                        "replicas",
                        String.valueOf(replication.replicas()),
                        "read",
                        String.valueOf(replication.quorum()),
                        "hot",
                        rounded(replication.hotShare()),
                        "nodes per timeline",
                        rounded(result.timelineNodes()),
                        "nodes per write",
                        rounded(result.writeNodes()),
                        "requests max/mean",
                        rounded(result.requestImbalance()));
                String subject =
                        strategy.label()
                                + " r="
                                + replication.replicas()
                                + " q="
                                + replication.quorum()
                                + " hot="
                                + rounded(replication.hotShare());
                add(csv, "replication", subject, "timeline_nodes", result.timelineNodes());
                add(csv, "replication", subject, "write_nodes", result.writeNodes());
                add(csv, "replication", subject, "requests_max_to_mean", result.requestImbalance());
            }
        }
        table.end();
    }

    private void layers(StringBuilder csv) {
        System.out.printf(
                Locale.ROOT,
                "%nTwo layers: messages of the persistent layer without structure; a store with"
                        + " ranges sends 2 per replica, and 2 for a read%n%n");
        TextTable table = TextTable.metrics(System.out);
        int natural = (int) Math.ceil(Math.log(nodes));
        for (int fanout : new int[] {2, natural, natural + 3}) {
            TwoLayers.Result result = new TwoLayers(3, fanout).run(nodes, WRITES, seed);
            table.row(
                    "fanout",
                    String.valueOf(fanout),
                    "messages per write",
                    rounded(result.writeMessages()),
                    "nodes reached",
                    rounded(result.reached()),
                    "writes stored",
                    rounded(result.stored()),
                    "messages per miss",
                    rounded(result.missMessages()));
            String subject = "fanout " + fanout;
            add(csv, "two-layers", subject, "write_messages", result.writeMessages());
            add(csv, "two-layers", subject, "reached_share", result.reached());
            add(csv, "two-layers", subject, "stored_share", result.stored());
            add(csv, "two-layers", subject, "miss_messages", result.missMessages());
        }
        table.end();
    }
}
