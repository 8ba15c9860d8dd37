package petrichor.bench.apps;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import petrichor.bench.apps.AppFigures.Figure;
import petrichor.bench.apps.AppFigures.Target;

/** Requests at a constant rate to an app that has no instance when they begin. */
final class Surges {
    static final String PART = "surge";

    private static final int PER_SECOND = 200;

    private Surges() {}

    static void measure(AppsRun run) throws Exception {
        List<Double> failed = new ArrayList<>();
        List<Double> median = new ArrayList<>();
        List<Double> highest = new ArrayList<>();
        List<Double> instances = new ArrayList<>();
        try (HostedApps apps = HostedApps.on(run.folder())) {
            apps.deploy("small", "v1", MeasuredApps.small(run.folder().resolve("small"), "hello"));
            for (int round = 1; round <= run.rounds(); round++) {
                run.say(PART, round);
                // A version that starts has no instance before its first request.
                apps.change("small", "stop", Optional.of("v1"));
                apps.change("small", "start", Optional.of("v1"));
                apps.awaitNoInstance("small");
                Requests.Answers answers =
                        Requests.openLoop(
                                PER_SECOND,
                                run.length(),
                                () -> {
                                    var answer = apps.get("/");
                                    return answer.statusCode() == 200
                                            && answer.body().equals("hello");
                                });
                instances.add((double) apps.instances("small"));
                failed.add((double) answers.failed());
                median.add(answers.latencies().micros(0.5) / 1e3);
                highest.add(answers.latencies().longestMicros() / 1e3);
            }
        }
        run.figures()
                .add(
                        new Figure(
                                PART,
                                "failed requests, from 0 to 200 requests/s",
                                "requests",
                                new Target.AtMost(0),
                                failed));
        run.figures().add(new Figure(PART, "median latency", "ms", AppFigures.NONE, median));
        run.figures().add(new Figure(PART, "slowest request", "ms", AppFigures.NONE, highest));
        run.figures().add(new Figure(PART, "instances at the end", "", AppFigures.NONE, instances));
    }
}
