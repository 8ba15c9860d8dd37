package petrichor.bench.servers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import petrichor.base.PetrichorException;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.bench.StartedStore;
import petrichor.bench.TemporaryFolder;
import petrichor.server.data.StorePlugins;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code petrichor bench servers}: several servers compared with one, each side over a store of its
 * own of the same kind, on this machine, interleaved.
 */
@Command(
        name = "servers",
        description =
                "Measure several servers over a datastore against one server, and the time of a"
                        + " fail-over. Takes about four minutes by default.",
        mixinStandardHelpOptions = true)
public final class ServersCommand implements Callable<Integer> {
    private static final String COORDINATION = "zookeeper";

    @Option(
            names = "--start",
            defaultValue = "postgresql",
            description =
                    "The datastore: started for this run, once for each side, and wiped after it"
                            + " (${DEFAULT-VALUE}).")
    String store = "postgresql";

    @Option(
            names = "--servers",
            defaultValue = "3",
            description = "Number of servers (${DEFAULT-VALUE}).")
    int servers = 3;

    @Option(
            names = "--databases",
            defaultValue = "12",
            description = "Databases, distributed over the servers (${DEFAULT-VALUE}).")
    int databases = 12;

    @Option(
            names = "--clients",
            defaultValue = "32",
            description = "Clients, distributed over the servers (${DEFAULT-VALUE}).")
    int clients = 32;

    @Option(
            names = "--rounds",
            defaultValue = "5",
            description = "Counted rounds (${DEFAULT-VALUE}).")
    int rounds = 5;

    @Option(
            names = "--seconds",
            defaultValue = "2",
            description = "Length of one round in seconds (${DEFAULT-VALUE}).")
    double seconds = 2;

    @Option(
            names = "--fail-overs",
            defaultValue = "5",
            description = "Number of times an owner is killed (${DEFAULT-VALUE}).")
    int failOvers = 5;

    @Option(
            names = "--out",
            defaultValue = "docs/bench",
            description = "Folder for CSV and SVG (${DEFAULT-VALUE}).")
    Path out = Path.of("docs/bench");

    @Override
    public Integer call() throws Exception {
        if (servers < 2) {
            throw PetrichorException.invalid("--servers is at least 2, not " + servers);
        }
        Duration length = Duration.ofNanos((long) (seconds * 1e9));
        Progress progress = Progress.onTerminal(System.err);
        Report report = new Report();
        StorePlugins plugins = StorePlugins.installed();
        try (TemporaryFolder folder = new TemporaryFolder();
                StartedStore coordination =
                        StartedStore.start(
                                COORDINATION, plugins, folder.path(COORDINATION), progress);
                StartedStore below =
                        StartedStore.start(store, plugins, folder.path("below"), progress);
                StartedStore belowOne =
                        StartedStore.start(store, plugins, folder.path("below-one"), progress);
                ServerGroup several =
                        ServerGroup.start(
                                servers,
                                below.address(),
                                Optional.of(coordination.address()),
                                folder.path("several.log"));
                ServerGroup one =
                        ServerGroup.start(
                                1, belowOne.address(), Optional.empty(), folder.path("one.log"))) {
            new ServerComparison(several, one, databases, clients)
                    .measure(report, rounds, length, progress);
            new FailOvers(several).measure(report, failOvers, progress);
            progress.done();
            report.print(System.out);
            report.write(out, "servers-" + store);
        }
        return report.allMet() ? 0 : 1;
    }
}
