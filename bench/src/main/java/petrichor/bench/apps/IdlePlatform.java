package petrichor.bench.apps;

import java.util.ArrayList;
import java.util.List;
import petrichor.bench.apps.AppFigures.Figure;
import petrichor.bench.apps.AppFigures.Target;

/** A server whose only app has no instance: its start, its memory, and the first request. */
final class IdlePlatform {
    static final String PART = "idle";

    private static final double MEGABYTES_PER_MEBIBYTE = (1 << 20) / 1e6;

    private IdlePlatform() {}

    static void measure(AppsRun run) throws Exception {
        List<Double> ready = new ArrayList<>();
        List<Double> memory = new ArrayList<>();
        List<Double> used = new ArrayList<>();
        try (HostedApps apps = HostedApps.on(run.folder())) {
            apps.deploy(
                    "small",
                    "v1",
                    MeasuredApps.shortLived(run.folder().resolve("short-lived"), "hello"));
        }
        for (int round = 1; round <= run.rounds(); round++) {
            run.say(PART, round);
            long from = System.nanoTime();
            try (HostedApps apps = HostedApps.on(run.folder())) {
                // The router opens when the apps are known, after the port of the API.
                HostedApps.await(
                        "no router",
                        () -> apps.answers(apps.router().resolve("/_ah/unknown")),
                        HostedApps.POLL_INTERVAL);
                ready.add((System.nanoTime() - from) / 1e9);
                apps.awaitNoInstance("small");
                memory.add(apps.server().treeMiB() * MEGABYTES_PER_MEBIBYTE);
                apps.get("/");
                apps.awaitNoInstance("small");
                used.add(apps.server().treeMiB() * MEGABYTES_PER_MEBIBYTE);
            }
        }
        Target most = new Target.AtMost(400);
        run.figures().add(new Figure(PART, "router answers", "s", new Target.AtMost(3), ready));
        run.figures().add(new Figure(PART, "memory of all processes", "MB", most, memory));
        run.figures().add(new Figure(PART, "memory after the app has run", "MB", most, used));
    }
}
