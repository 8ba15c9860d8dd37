package petrichor.bench.apps;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import petrichor.base.PetrichorException;
import petrichor.bench.Progress;
import petrichor.bench.TemporaryFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code petrichor bench apps}: deployments, switches, starts, the router, and seed 000. */
@Command(
        name = "apps",
        description =
                "Measure deployments, switches, cold starts, memory, the router and the users of"
                        + " deployed apps.",
        mixinStandardHelpOptions = true)
public final class AppsCommand implements Callable<Integer> {
    /** What is measured, with a new server each. */
    enum Part {
        DEPLOY,
        SWITCH,
        START,
        SURGE,
        IDLE,
        ROUTER,
        USERS,
        QUERIES,
        BATCHES;

        String displayName() {
            return name().toLowerCase(Locale.ROOT);
        }

        void measure(AppsRun run, SeedPlan plan) throws Exception {
            switch (this) {
                case DEPLOY -> Deployments.measure(run);
                case SWITCH -> Switches.measure(run);
                case START -> ColdStarts.measure(run);
                case SURGE -> Surges.measure(run);
                case IDLE -> IdlePlatform.measure(run);
                case ROUTER -> ProxyComparison.measure(run);
                case USERS -> new SeedBench(run, plan).users();
                case QUERIES -> new SeedBench(run, plan).queries();
                case BATCHES -> new SeedBench(run, plan).batches();
            }
        }
    }

    @Option(
            names = "--rounds",
            defaultValue = "5",
            description = "Counted rounds (${DEFAULT-VALUE}).")
    int rounds = 5;

    @Option(
            names = "--seconds",
            defaultValue = "5",
            description = "Length of one load in seconds (${DEFAULT-VALUE}).")
    double seconds = 5;

    @Option(
            names = "--only",
            split = ",",
            description =
                    "Parts to run: deploy, switch, start, surge, idle, router, users, queries,"
                            + " batches. Default: all.")
    List<Part> only = new ArrayList<>();

    @Option(
            names = "--store",
            split = ",",
            description =
                    "Datastores of users, queries and batches: embedded, or one that is started for"
                            + " the run. Default: embedded, cassandra, hbase.")
    List<String> stores = new ArrayList<>();

    @Option(
            names = "--minutes",
            defaultValue = "40",
            description =
                    "Length of all loads of users, queries and batches together, in minutes"
                            + " (${DEFAULT-VALUE}).")
    double minutes = 40;

    @Option(
            names = "--examples",
            defaultValue = "examples",
            description = "Folder of the seeds' apps (${DEFAULT-VALUE}).")
    Path examples = Path.of("examples");

    @Option(
            names = "--guestbook",
            defaultValue = "examples/guestbook/appengine",
            description = "Folder of the deployed app (${DEFAULT-VALUE}).")
    Path guestbook = Path.of("examples/guestbook/appengine");

    @Option(
            names = "--out",
            defaultValue = "docs/bench",
            description = "Folder for JSON, CSV, SVG and the page (${DEFAULT-VALUE}).")
    Path out = Path.of("docs/bench");

    @Override
    public Integer call() throws Exception {
        if (rounds < 1 || !(seconds > 0) || !(minutes > 0)) {
            throw PetrichorException.invalid("--rounds, --seconds and --minutes must be positive");
        }
        if (!Files.isRegularFile(guestbook.resolve("app.yaml"))) {
            throw PetrichorException.invalid(
                    "{folder} has no app.yaml: pass the folder of the guestbook with --guestbook",
                    "folder",
                    guestbook);
        }
        Progress progress = Progress.onTerminal(System.err);
        boolean allMet = true;
        List<Part> parts = only.isEmpty() ? List.of(Part.values()) : only;
        List<String> chosen = stores.isEmpty() ? List.of("embedded", "cassandra", "hbase") : stores;
        SeedPlan plan =
                new SeedPlan(
                        chosen,
                        SeedPlan.perLoad(minutes, parts, chosen.size()),
                        examples.toAbsolutePath(),
                        out);
        for (Part part : parts) {
            AppFigures figures = new AppFigures();
            try (TemporaryFolder folder = new TemporaryFolder()) {
                part.measure(
                        new AppsRun(
                                folder.path(),
                                guestbook,
                                rounds,
                                Duration.ofNanos((long) (seconds * 1e9)),
                                figures,
                                progress),
                        plan);
            }
            progress.done();
            figures.print(System.out);
            Files.createDirectories(out);
            Files.writeString(out.resolve("apps-" + part.displayName() + ".json"), figures.json());
            allMet &= figures.allMet();
        }
        return allMet ? 0 : 1;
    }
}
