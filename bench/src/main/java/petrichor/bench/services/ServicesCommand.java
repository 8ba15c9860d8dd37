package petrichor.bench.services;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.bench.TemporaryFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code petrichor bench services}: cache, queues, objects and search through official SDKs. */
@Command(
        name = "services",
        description =
                "Measure cache, queues, objects and search through Google's SDKs, beside local"
                        + " servers of the same APIs, memcached and RabbitMQ.",
        mixinStandardHelpOptions = true)
public final class ServicesCommand implements Callable<Integer> {
    /** What is measured, with a new Petrichor server each. */
    enum Part {
        CACHE,
        QUEUE,
        BLOB,
        SEARCH;

        String displayName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--rounds",
            defaultValue = "5",
            description = "Counted rounds (${DEFAULT-VALUE}).")
    int rounds = 5;

    @Option(
            names = "--seconds",
            defaultValue = "3",
            description = "Length of one round in seconds (${DEFAULT-VALUE}).")
    double seconds = 3;

    @Option(
            names = "--only",
            split = ",",
            description = "Parts to run: cache, queue, blob, search. Default: all.")
    List<Part> only = new ArrayList<>();

    @Option(
            names = "--documents",
            defaultValue = "100000",
            description = "Documents in the searched index (${DEFAULT-VALUE}).")
    int documents = 100_000;

    @Option(
            names = "--object-mib",
            defaultValue = "256",
            description = "Size of the large object in MiB (${DEFAULT-VALUE}).")
    int objectMebibytes = 256;

    @Option(
            names = "--out",
            defaultValue = "docs/bench",
            description = "Folder for CSV and SVG (${DEFAULT-VALUE}).")
    Path out = Path.of("docs/bench");

    @Option(
            names = "--peers",
            description = "Folder created by bench/peers/install, with the clients and the peers.")
    @Nullable Path peers;

    @Override
    public Integer call() throws Exception {
        if (peers == null) {
            throw PetrichorException.invalid(
                    "the SDKs are in the folder of bench/peers/install: run bench/peers/install DIR"
                            + " services java-api-server, then pass --peers DIR");
        }
        Progress progress = Progress.onTerminal(System.err);
        ServicesBench.Sizes sizes =
                new ServicesBench.Sizes(
                        rounds,
                        Duration.ofNanos((long) (seconds * 1e9)),
                        documents,
                        objectMebibytes);
        boolean allMet = true;
        for (Part part : only.isEmpty() ? List.of(Part.values()) : only) {
            Report report = new Report();
            try (TemporaryFolder folder = new TemporaryFolder();
                    MeasuredServers servers =
                            new MeasuredServers(peers.toAbsolutePath(), folder, report)) {
                new ServicesBench(servers, folder, sizes, report, progress).measure(part);
            }
            progress.done();
            report.print(System.out);
            report.write(out, "services-" + part.displayName());
            allMet &= report.allMet();
        }
        return allMet ? 0 : 1;
    }
}
