package petrichor.bench.apps;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import petrichor.bench.apps.AppFigures.Figure;
import petrichor.bench.apps.AppFigures.Target;

/** All requests of an app switch from one version to another while it is under load. */
final class Switches {
    static final String PART = "switch";

    private static final int SWITCHES = 20;
    private static final long REQUESTS = 10_000;
    private static final int USERS = 8;
    private static final long WAIT_NANOS = 1_000_000;

    private Switches() {}

    static void measure(AppsRun run) throws Exception {
        List<Double> failed = new ArrayList<>();
        List<Double> rate = new ArrayList<>();
        List<Double> highest = new ArrayList<>();
        List<Double> longest = new ArrayList<>();
        try (HostedApps apps = HostedApps.on(run.folder())) {
            for (String version : List.of("v0", "v1")) {
                apps.deploy(
                        "small",
                        version,
                        MeasuredApps.small(run.folder().resolve(version), version));
            }
            for (int round = 1; round <= run.rounds(); round++) {
                run.say(PART, round);
                AtomicLong sent = new AtomicLong();
                try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                    Future<Double> switching = threads.submit(() -> switchVersions(apps, sent));
                    Requests.Answers answers =
                            Requests.closedLoop(USERS, REQUESTS, sent, () -> isHello(apps));
                    longest.add(switching.get());
                    failed.add((double) answers.failed());
                    rate.add(answers.perSecond());
                    highest.add(answers.latencies().longestMicros() / 1e3);
                }
            }
        }
        run.figures()
                .add(
                        new Figure(
                                PART,
                                "failed of 10,000 requests during 20 switches",
                                "requests",
                                new Target.AtMost(0),
                                failed));
        run.figures().add(new Figure(PART, "requests", "/s", AppFigures.NONE, rate));
        run.figures().add(new Figure(PART, "slowest request", "ms", AppFigures.NONE, highest));
        run.figures().add(new Figure(PART, "slowest switch", "s", AppFigures.NONE, longest));
    }

    private static boolean isHello(HostedApps apps) throws Exception {
        var answer = apps.get("/");
        return answer.statusCode() == 200 && answer.body().matches("v[01]");
    }

    /** Evenly over the requests; returns the seconds of the slowest switch. */
    private static double switchVersions(HostedApps apps, AtomicLong sent) throws Exception {
        double slowest = 0;
        for (int i = 0; i < SWITCHES; i++) {
            long due = REQUESTS * (i + 1) / (SWITCHES + 1);
            while (sent.get() < due) {
                LockSupport.parkNanos(WAIT_NANOS);
            }
            slowest =
                    Math.max(
                            slowest,
                            AppsRun.seconds(
                                    apps.change("small", "promote", Optional.of("v" + i % 2))));
        }
        return slowest;
    }
}
