package petrichor.bench.movement;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.bench.StartedStore;
import petrichor.bench.TemporaryFolder;
import petrichor.server.data.StorePlugins;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code petrichor bench movement}: data that moves between stores and deployments. */
@Command(
        name = "movement",
        description =
                "Measure the change feed, migration, replication and backup, beside the figures of"
                        + " seed 000.",
        mixinStandardHelpOptions = true)
public final class MovementCommand implements Callable<Integer> {
    /** What is measured, with servers of its own. */
    enum Part {
        FEED,
        MIGRATION,
        COPY,
        REPLICATION,
        WEEK,
        BACKUP;

        String displayName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--only",
            split = ",",
            description =
                    "Parts to run: feed, migration, copy, replication, week, backup. Default: all.")
    List<Part> only = new ArrayList<>();

    @Option(
            names = "--rounds",
            defaultValue = "5",
            description = "Counted rounds (${DEFAULT-VALUE}).")
    int rounds = 5;

    @Option(
            names = "--seconds",
            defaultValue = "4",
            description = "Length of one round in seconds (${DEFAULT-VALUE}).")
    double seconds = 4;

    @Option(
            names = "--clients",
            defaultValue = "10",
            description = "Concurrent clients (${DEFAULT-VALUE}).")
    int clients = 10;

    @Option(
            names = "--load",
            defaultValue = "0.5",
            description =
                    "Share of the highest rate at which latencies are measured; 0 is as fast as"
                            + " possible (${DEFAULT-VALUE}).")
    double load = 0.5;

    @Option(
            names = "--entities",
            defaultValue = "20000",
            description = "Entities of a migrated or replicated database (${DEFAULT-VALUE}).")
    int entities = 20_000;

    @Option(
            names = "--backup-entities",
            defaultValue = "1000000",
            description = "Entities that are backed up and restored (${DEFAULT-VALUE}).")
    int backupEntities = 1_000_000;

    @Option(
            names = "--hour",
            defaultValue = "3600",
            description =
                    "Seconds into which the seven days with faults are compressed"
                            + " (${DEFAULT-VALUE}).")
    double hour = 3600;

    @Option(
            names = "--store",
            defaultValue = "postgresql",
            description = "Store to which a database migrates (${DEFAULT-VALUE}).")
    String store = "postgresql";

    @Option(
            names = "--out",
            defaultValue = "docs/bench",
            description = "Folder for CSV and SVG (${DEFAULT-VALUE}).")
    Path out = Path.of("docs/bench");

    @Override
    public Integer call() throws Exception {
        Progress progress = Progress.onTerminal(System.err);
        boolean allMet = true;
        for (Part part : only.isEmpty() ? List.of(Part.values()) : only) {
            Report report = new Report();
            MovementRun run =
                    new MovementRun(
                            rounds,
                            Duration.ofNanos((long) (seconds * 1e9)),
                            clients,
                            load,
                            entities,
                            report,
                            progress);
            String before = systemLoad();
            try (TemporaryFolder folder = new TemporaryFolder()) {
                measure(part, run, folder);
            }
            report.note(
                    "load average of the machine, which has "
                            + Runtime.getRuntime().availableProcessors()
                            + " processors: "
                            + before
                            + " before, "
                            + systemLoad()
                            + " after");
            progress.done();
            report.print(System.out);
            report.write(out, "movement-" + part.displayName());
            allMet &= report.allMet();
        }
        return allMet ? 0 : 1;
    }

    private void measure(Part part, MovementRun run, TemporaryFolder folder) throws Exception {
        switch (part) {
            case FEED -> {
                try (MovementServer server = MovementServer.start(folder.path("server"), "")) {
                    new FeedBench(run, server).measure();
                }
            }
            case MIGRATION -> {
                try (StartedStore other = started(folder, "other", run.progress());
                        MovementServer server = moving(folder, other)) {
                    new MigrationLatency(run, server).measure();
                }
            }
            case COPY -> {
                try (StartedStore other = started(folder, "other", run.progress());
                        StartedStore bulk = started(folder, "bulk", run.progress());
                        MovementServer server = moving(folder, other);
                        MovementServer loaded =
                                MovementServer.start(
                                        folder.path("loaded"),
                                        "[store]\nurl = \"" + bulk.address() + "\"\n")) {
                    new MigrationCopy(run, server, loaded).measure();
                }
            }
            case REPLICATION -> {
                try (MovementServer target = MovementServer.start(folder.path("target"), "");
                        MovementServer source = source(folder, target.port())) {
                    new ReplicationBench(run, new Replica(source, target)).measure();
                }
            }
            case WEEK -> {
                try (MovementServer target = MovementServer.start(folder.path("target"), "");
                        FaultyLink link = FaultyLink.open(target.port());
                        MovementServer source = source(folder, link.port())) {
                    new FaultyWeek(
                                    run,
                                    new Replica(source, target),
                                    link,
                                    Duration.ofNanos((long) (hour * 1e9)))
                            .measure();
                }
            }
            case BACKUP -> {
                try (MovementServer server = MovementServer.start(folder.path("server"), "")) {
                    new BackupBench(run, server, folder.path("backup"), backupEntities).measure();
                }
            }
        }
    }

    private StartedStore started(TemporaryFolder folder, String name, Progress progress) {
        return StartedStore.start(store, StorePlugins.installed(), folder.path(name), progress);
    }

    private static MovementServer moving(TemporaryFolder folder, StartedStore other)
            throws Exception {
        return MovementServer.start(
                folder.path("server"),
                "[stores." + Migration.OTHER + "]\nurl = \"" + other.address() + "\"\n");
    }

    private static MovementServer source(TemporaryFolder folder, int targetPort) throws Exception {
        return MovementServer.start(
                folder.path("source"), Replica.configuration(folder.path(), targetPort));
    }

    private static String systemLoad() {
        return String.format(
                Locale.ROOT,
                "%.1f",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }
}
