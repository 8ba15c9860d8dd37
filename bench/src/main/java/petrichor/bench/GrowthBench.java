package petrichor.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import petrichor.bench.GrowthModel.Costs;
import petrichor.bench.GrowthModel.Outcome;
import petrichor.bench.GrowthModel.Shape;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code petrichor bench growth}: commits over databases and servers, by simulation. */
@Command(
        name = "growth",
        description =
                "Simulate how commits scale with databases and servers, up to a thousand of each.",
        mixinStandardHelpOptions = true)
final class GrowthBench implements Callable<Integer> {
    private static final int CORES = 2;
    private static final int[] SERVERS = {1, 3, 10, 30, 100, 300, 1_000};
    private static final int[] DATABASES_PER_SERVER = {1, 10};

    /** A single database gets many clients, because its sequencer would be idle otherwise. */
    private static final int CLIENTS_OF_THE_ONLY_DATABASE = 1_000;

    /** Rounds of every client before the measurement starts. */
    private static final double ROUNDS_OF_WARM_UP = 4;

    private static final double WARM_UP_MICROS_MIN = 60_000;

    /** Simulated time of the measurement; more servers need less for the same number of commits. */
    private static final double COUNTED_MICROS = 300_000;

    private static final double COUNTED_MICROS_MIN = 60_000;

    @Option(
            names = "--accept-micros",
            defaultValue = "150",
            description =
                    "Processor time of a put at the server that takes it, in microseconds"
                            + " (${DEFAULT-VALUE}).")
    double acceptMicros = 150;

    @Option(
            names = "--append-micros",
            defaultValue = "1000",
            description =
                    "Duration of one append to a store's log, in microseconds (${DEFAULT-VALUE}).")
    double appendMicros = 1000;

    @Option(
            names = "--clients",
            defaultValue = "16",
            description = "Clients per database (${DEFAULT-VALUE}).")
    int clients = 16;

    @Option(
            names = "--seed",
            defaultValue = "1",
            description = "Seed of the simulation (${DEFAULT-VALUE}).")
    long seed = 1;

    @Option(
            names = "--out",
            defaultValue = "docs/bench",
            description = "Folder for CSV and SVG (${DEFAULT-VALUE}).")
    Path out = Path.of("docs/bench");

    @Override
    public Integer call() throws Exception {
        Costs costs = new Costs(acceptMicros, 20, 25, 100, 60, appendMicros, 10, 120, 300);
        StringBuilder csv =
                new StringBuilder(
                        "servers,databases,commits_per_second,commits_per_second_and_server,"
                                + "mean_latency_ms,commits_per_append\n");
        LogChart chart =
                new LogChart("Simulated commits per second", "servers", "commits per second");
        System.out.println(
                "servers  databases   commits/s   per server   latency ms   commits per append");
        for (int databases : new int[] {1, 10, 100, 1_000}) {
            one(costs, 1, databases, clients, csv);
        }
        for (int perServer : DATABASES_PER_SERVER) {
            for (int servers : SERVERS) {
                Outcome outcome = one(costs, servers, servers * perServer, clients, csv);
                chart.point(
                        perServer + (perServer == 1 ? " database" : " databases") + " per server",
                        servers,
                        outcome.commitsPerSecond());
            }
        }
        for (int servers : SERVERS) {
            Outcome outcome = one(costs, servers, 1, CLIENTS_OF_THE_ONLY_DATABASE, csv);
            chart.point("one database in all", servers, outcome.commitsPerSecond());
        }
        Files.createDirectories(out);
        Files.writeString(out.resolve("stores-growth.csv"), csv);
        Files.writeString(out.resolve("stores-growth.svg"), chart.svg());
        return 0;
    }

    private Outcome one(
            Costs costs, int servers, int databases, int clientsOfEach, StringBuilder csv) {
        double round = (double) databases * clientsOfEach / servers * acceptMicros / CORES;
        double counted = Math.max(COUNTED_MICROS_MIN, COUNTED_MICROS / Math.sqrt(servers));
        Outcome outcome =
                GrowthModel.run(
                        costs,
                        new Shape(servers, servers, databases, CORES, clientsOfEach),
                        Math.max(WARM_UP_MICROS_MIN, ROUNDS_OF_WARM_UP * round),
                        counted,
                        seed);
        System.out.printf(
                Locale.ROOT,
                "%7d  %9d  %,10.0f   %,10.0f   %10.2f   %18.1f%n",
                servers,
                databases,
                outcome.commitsPerSecond(),
                outcome.commitsPerSecond() / servers,
                outcome.meanLatencyMillis(),
                outcome.commitsPerAppend());
        csv.append(
                String.format(
                        Locale.ROOT,
                        "%d,%d,%.1f,%.1f,%.3f,%.2f%n",
                        servers,
                        databases,
                        outcome.commitsPerSecond(),
                        outcome.commitsPerSecond() / servers,
                        outcome.meanLatencyMillis(),
                        outcome.commitsPerAppend()));
        return outcome;
    }
}
