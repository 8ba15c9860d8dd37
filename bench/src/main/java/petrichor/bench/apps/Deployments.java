package petrichor.bench.apps;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import petrichor.bench.apps.AppFigures.Figure;
import petrichor.bench.apps.AppFigures.Target;

/**
 * Deployments of the guestbook, with the command's own process: of a new project, whose package
 * cache is empty; with other requirements, whose packages are in the project's cache; with a
 * changed line; and back.
 */
final class Deployments {
    static final String PART = "deploy";

    private static final Target NEW_S = new Target.AtMost(15);
    private static final Target CHANGED_S = new Target.AtMost(5);
    private static final Target BACK_S = new Target.AtMost(1);
    private static final String KEPT = "guestbook";

    private final AppsRun run;
    private final List<Double> changed = new ArrayList<>();
    private final List<Double> required = new ArrayList<>();
    private final List<Double> another = new ArrayList<>();
    private final List<Double> back = new ArrayList<>();
    private final List<Double> backByCommand = new ArrayList<>();

    private Deployments(AppsRun run) {
        this.run = run;
    }

    static void measure(AppsRun run) throws Exception {
        new Deployments(run).measure();
    }

    private void measure() throws Exception {
        Path sources = MeasuredApps.copy(run.guestbook(), run.folder().resolve("guestbook"));
        try (HostedApps apps = HostedApps.on(run.folder())) {
            // Fills the cache of packages.
            double first = AppsRun.seconds(apps.deploy(KEPT, "v0", sources));
            for (int round = 1; round <= run.rounds(); round++) {
                run.say(PART, round);
                round(apps, sources, round);
            }
            add("first deployment, no packages cached", AppFigures.NONE, List.of(first));
        }
        add("another project, its packages not cached", AppFigures.NONE, another);
        add("other requirements, packages cached", NEW_S, required);
        add("changed line", CHANGED_S, changed);
        add("rollback", BACK_S, back);
        add("rollback with the command's process", AppFigures.NONE, backByCommand);
    }

    private void add(String name, Target target, List<Double> rounds) {
        run.figures().add(new Figure(PART, name, "s", target, rounds));
    }

    private void round(HostedApps apps, Path sources, int round) throws Exception {
        MeasuredApps.change(sources.resolve("main.py"), "round " + round);
        changed.add(AppsRun.seconds(apps.deploy(KEPT, "changed" + round, sources)));
        back.add(AppsRun.seconds(apps.change(KEPT, "rollback", Optional.empty())));
        apps.change(KEPT, "promote", Optional.of("changed" + round));
        backByCommand.add(AppsRun.seconds(apps.command("app", "rollback", KEPT)));

        MeasuredApps.change(sources.resolve("requirements.txt"), "round " + round);
        required.add(AppsRun.seconds(apps.deploy(KEPT, "required" + round, sources)));
        String project = "guestbook-" + round;
        another.add(AppsRun.seconds(apps.deploy(project, "v1", sources)));
        apps.change(project, "delete", Optional.empty());
    }
}
