package petrichor.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.bench.apps.AppsCommand;
import petrichor.bench.cloud.NepheleCommand;
import petrichor.bench.cloud.SpotCommand;
import petrichor.bench.compression.CompressionCommand;
import petrichor.bench.jobs.JobsCommand;
import petrichor.bench.movement.MovementCommand;
import petrichor.bench.servers.ServersCommand;
import petrichor.bench.services.ServicesCommand;
import petrichor.bench.social.SocialCommand;
import petrichor.bench.sql.SqlCommand;
import petrichor.bench.stores.StoresCommand;
import petrichor.bench.stores.TransactionsCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code petrichor bench}: measures Petrichor, its peers and its ceilings. */
@Command(
        name = "bench",
        description = "Measure Petrichor against its peers and its ceiling.",
        mixinStandardHelpOptions = true,
        subcommands = {
            BenchCommand.DatastoreBench.class,
            StoresCommand.class,
            TransactionsCommand.class,
            JobsCommand.class,
            ServersCommand.class,
            ServicesCommand.class,
            AppsCommand.class,
            GrowthBench.class,
            CompressionCommand.class,
            NepheleCommand.class,
            SpotCommand.class,
            SocialCommand.class,
            SqlCommand.class,
            MovementCommand.class
        })
public final class BenchCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        System.err.println(
                "name a benchmark: `petrichor bench datastore`, `bench stores`, `bench"
                        + " transactions`, `bench servers`, `bench services`, `bench apps`,"
                        + " `bench jobs`, `bench growth`, `bench compression`, `bench nephele`,"
                        + " `bench social`, `bench spot`, `bench sql` or `bench movement`");
        return 2;
    }

    /** {@code petrichor bench datastore}. */
    @Command(
            name = "datastore",
            description =
                    "Measure commits, lookups, queries, start-up and memory of the datastore.",
            mixinStandardHelpOptions = true)
    static final class DatastoreBench implements Callable<Integer> {
        @ParentCommand @Nullable BenchCommand parent;

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
                names = "--only",
                split = ",",
                description =
                        "Parts to run: commits, reads, scale, footprint, peers. Default: all.")
        List<String> only = new ArrayList<>();

        @Option(
                names = "--out",
                defaultValue = "docs/bench",
                description = "Folder for CSV and SVG (${DEFAULT-VALUE}).")
        Path out = Path.of("docs/bench");

        @Spec CommandSpec spec = CommandSpec.create();

        @Option(
                names = "--large",
                defaultValue = "1000000",
                description = "Entities of the large data set of `scale` (${DEFAULT-VALUE}).")
        int large = 1_000_000;

        @Option(
                names = "--peers",
                description =
                        "Folder created by bench/peers/install; without it no peers are measured.")
        @Nullable Path peers;

        @Override
        public Integer call() throws Exception {
            List<String> parts = Arrays.stream(Part.values()).map(Part::displayName).toList();
            for (String asked : only) {
                if (!parts.contains(asked)) {
                    throw new CommandLine.ParameterException(
                            spec.commandLine(),
                            "--only knows " + String.join(", ", parts) + ", not " + asked);
                }
            }
            Duration length = Duration.ofMillis((long) (seconds * 1000));
            Progress progress = Progress.onTerminal(System.err);
            boolean allMet = true;
            for (Part part : Part.values()) {
                if (!only.isEmpty() && !only.contains(part.displayName())) {
                    continue;
                }
                Report report = new Report();
                switch (part) {
                    case COMMITS -> DurableCommits.measure(report, rounds, length, progress);
                    case READS -> Reads.measure(report, rounds, length, progress);
                    case SCALE -> Scale.measure(report, rounds, length, large, progress);
                    case FOOTPRINT -> StartupBenchmark.measure(report, rounds, progress);
                    case PEERS -> Peers.measure(report, rounds, length, peers, progress);
                }
                progress.done();
                report.print(System.out);
                report.write(out, "datastore-" + part.displayName());
                allMet &= report.allMet();
            }
            return allMet ? 0 : 1;
        }
    }

    private enum Part {
        COMMITS,
        READS,
        SCALE,
        FOOTPRINT,
        PEERS;

        String displayName() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }
}
