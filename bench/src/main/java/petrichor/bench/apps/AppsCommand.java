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

/** {@code petrichor bench apps}: deployments, switches, starts and the router. */
@Command(
        name = "apps",
        description =
                "Measure deployments, switches, cold starts, memory and the router of deployed"
                        + " apps.",
        mixinStandardHelpOptions = true)
public final class AppsCommand implements Callable<Integer> {
    /** What is measured, with a new server each. */
    enum Part {
        DEPLOY,
        SWITCH,
        START,
        SURGE,
        IDLE,
        ROUTER;

        String displayName() {
            return name().toLowerCase(Locale.ROOT);
        }

        void measure(AppsRun run) throws Exception {
            switch (this) {
                case DEPLOY -> Deployments.measure(run);
                case SWITCH -> Switches.measure(run);
                case START -> ColdStarts.measure(run);
                case SURGE -> Surges.measure(run);
                case IDLE -> IdlePlatform.measure(run);
                case ROUTER -> ProxyComparison.measure(run);
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
            description = "Parts to run: deploy, switch, start, surge, idle, router. Default: all.")
    List<Part> only = new ArrayList<>();

    @Option(
            names = "--guestbook",
            defaultValue = "examples/guestbook/appengine",
            description = "Folder of the deployed app (${DEFAULT-VALUE}).")
    Path guestbook = Path.of("examples/guestbook/appengine");

    @Option(
            names = "--out",
            defaultValue = "docs/bench",
            description = "Folder for JSON (${DEFAULT-VALUE}).")
    Path out = Path.of("docs/bench");

    @Override
    public Integer call() throws Exception {
        if (rounds < 1 || !(seconds > 0)) {
            throw PetrichorException.invalid("--rounds and --seconds must be positive");
        }
        if (!Files.isRegularFile(guestbook.resolve("app.yaml"))) {
            throw PetrichorException.invalid(
                    "{folder} has no app.yaml: pass the folder of the guestbook with --guestbook",
                    "folder",
                    guestbook);
        }
        Progress progress = Progress.onTerminal(System.err);
        boolean allMet = true;
        for (Part part : only.isEmpty() ? List.of(Part.values()) : only) {
            AppFigures figures = new AppFigures();
            try (TemporaryFolder folder = new TemporaryFolder()) {
                part.measure(
                        new AppsRun(
                                folder.path(),
                                guestbook,
                                rounds,
                                Duration.ofNanos((long) (seconds * 1e9)),
                                figures,
                                progress));
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
