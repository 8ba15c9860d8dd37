package petrichor.tools;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import petrichor.testing.cluster.LabOptions;
import petrichor.testing.cluster.LabReport;
import petrichor.testing.cluster.Laboratory;
import petrichor.testing.dialect.DialectCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code petrichor lab}: injects faults into real servers and checks the results observed by
 * clients.
 */
@Command(
        name = "lab",
        description =
                "Starts servers over a real store, kills, pauses and disconnects them under load,"
                        + " and checks every guarantee.",
        subcommands = DialectCommand.class,
        mixinStandardHelpOptions = true)
final class LabCommand implements Callable<Integer> {
    private static final int SEEDS = 1_000_000;

    @Option(
            names = "--store",
            defaultValue = "postgresql",
            description = "The datastore, as named by `store list` (${DEFAULT-VALUE}).")
    String store = "postgresql";

    @Option(
            names = "--store-nodes",
            defaultValue = "1",
            description = "Number of nodes of the datastore (${DEFAULT-VALUE}).")
    int storeNodes = 1;

    @Option(
            names = "--servers",
            defaultValue = "3",
            description = "Number of Petrichor servers (${DEFAULT-VALUE}).")
    int servers = 3;

    @Option(
            names = "--zookeepers",
            defaultValue = "3",
            description = "Number of ZooKeeper nodes (${DEFAULT-VALUE}).")
    int zookeepers = 3;

    @Option(
            names = "--clients",
            defaultValue = "3",
            description = "Clients per workload, of five workloads (${DEFAULT-VALUE}).")
    int clients = 3;

    @Option(
            names = "--minutes",
            defaultValue = "2",
            description = "How long faults are injected (${DEFAULT-VALUE}).")
    double minutes = 2;

    @Option(names = "--seed", description = "Seed of the run to repeat. Default: random")
    @Nullable Long seed;

    @Option(names = "--faults", split = ",", description = "Inject only these kinds of faults.")
    Set<String> faults = new LinkedHashSet<>();

    @Option(
            names = "--loopback",
            description =
                    "Inject network faults through proxies, which needs no root but cannot inject"
                            + " all of them.")
    boolean loopback;

    @Option(
            names = "--sizes",
            defaultValue = "small",
            description =
                    "Sizes of entities: small, or mixed for 1 byte to 1 MB"
                            + " (${DEFAULT-VALUE}).")
    LabOptions.Sizes sizes = LabOptions.Sizes.SMALL;

    @Option(
            names = "--data",
            defaultValue = "petrichor-lab",
            description =
                    "Folder for data, logs and reports, with a subfolder per run"
                            + " (${DEFAULT-VALUE}).")
    Path data = Path.of("petrichor-lab");

    @Option(names = "--json", description = "Print the report as JSON.")
    boolean json;

    @Override
    public Integer call() {
        long chosen = seed == null ? ThreadLocalRandom.current().nextInt(SEEDS) : seed;
        Path folder =
                data.resolve(store + "-" + chosen + "-" + System.currentTimeMillis() / 1000)
                        .toAbsolutePath();
        LabOptions options =
                new LabOptions(
                        store,
                        storeNodes,
                        servers,
                        zookeepers,
                        clients,
                        Duration.ofMillis((long) (minutes * 60_000)),
                        chosen,
                        faults,
                        loopback,
                        sizes,
                        folder);
        System.err.println("seed " + chosen + ", logs in " + folder);
        LabReport report = Laboratory.run(options, System.err::println);
        System.out.print(json ? report.json() + "\n" : report.text());
        return report.clean() ? 0 : 1;
    }
}
