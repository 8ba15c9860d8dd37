package petrichor.bench.stores;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import petrichor.bench.Progress;
import petrichor.bench.TemporaryFolder;
import petrichor.transactions.TransactionLimits;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code petrichor bench stores}: the same operations over several datastores. */
@Command(
        name = "stores",
        description =
                "Compare datastores: the same entities, operations and clients over each, and the"
                        + " embedded store.",
        mixinStandardHelpOptions = true)
public final class StoresCommand implements Callable<Integer> {
    @Option(
            names = "--stores",
            description =
                    "Comma-separated addresses of running stores, as in store.url, or `memory`."
                            + " Uses its own database, which is dropped at the end.")
    String stores = "";

    @Option(
            names = "--start",
            split = ",",
            description =
                    "Stores to start for this run and wipe after it, such as redis, or cassandra:3"
                            + " for three nodes.")
    List<String> start = new ArrayList<>();

    @Option(
            names = "--clients",
            split = ",",
            defaultValue = "1,3,9,10,100,1000",
            description = "Numbers of concurrent clients (${DEFAULT-VALUE}).")
    List<Integer> clients = new ArrayList<>();

    @Option(
            names = "--ops",
            split = ",",
            description = "Operations: noop, get, put, delete, mix, query. Default: all.")
    List<String> operations = new ArrayList<>();

    @Option(
            names = "--entities",
            defaultValue = "100000",
            description = "Entities to query: parents with 100 children each (${DEFAULT-VALUE}).")
    int entities = 100_000;

    @Option(
            names = "--no-row-cache",
            description = "Read from the stores instead of from the cache of recent rows.")
    boolean noRowCache;

    @Option(
            names = "--seconds",
            defaultValue = "1",
            description = "Length of one measurement in seconds (${DEFAULT-VALUE}).")
    double seconds = 1;

    @Option(
            names = "--max-minutes",
            defaultValue = "20",
            description =
                    "Time limit of the whole run, including loading; slow stores then give fewer"
                            + " samples (${DEFAULT-VALUE}).")
    double minutesMax = 20;

    @Option(
            names = "--out",
            defaultValue = "docs/bench",
            description = "Folder for CSV, SVG and HTML (${DEFAULT-VALUE}).")
    Path out = Path.of("docs/bench");

    @Option(names = "--json", description = "Print one JSON object per line instead of tables.")
    boolean json;

    @Override
    public Integer call() throws Exception {
        Plan plan =
                new Plan(
                        workloads(),
                        clients,
                        entities,
                        Duration.ofNanos((long) (seconds * 1e9)),
                        Duration.ofNanos((long) (minutesMax * 60e9)));
        Progress progress = Progress.onTerminal(System.err);
        Findings findings;
        try (TemporaryFolder folder = new TemporaryFolder();
                OpenStores opened = OpenStores.open(stores, start, limits(), folder, progress)) {
            findings = new Comparison(plan, opened.all(), progress).run();
        }
        FindingsFiles files = new FindingsFiles(findings);
        if (json) {
            files.printJson(System.out);
        } else {
            new FindingsText(findings, System.out).print();
        }
        files.write(out);
        new FindingsPage(findings).write(out);
        return 0;
    }

    private TransactionLimits limits() {
        return noRowCache ? TransactionLimits.DEFAULT.withRowCache(0) : TransactionLimits.DEFAULT;
    }

    private List<Workload> workloads() {
        if (operations.isEmpty()) {
            return List.of(Workload.values());
        }
        Set<Workload> asked = new LinkedHashSet<>();
        operations.forEach(word -> asked.addAll(Workload.of(word)));
        return List.copyOf(asked);
    }
}
