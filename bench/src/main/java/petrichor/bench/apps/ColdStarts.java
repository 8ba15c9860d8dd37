package petrichor.bench.apps;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import petrichor.bench.ServerProcess;
import petrichor.bench.apps.AppFigures.Figure;
import petrichor.bench.apps.AppFigures.Target;
import petrichor.testing.process.RunningProcess;

/**
 * The first request of an app without instances, beside the start of the same process by hand: the
 * same built files, interpreter and command, until it answers a request.
 */
final class ColdStarts {
    static final String PART = "start";

    private static final Target RATIO = new Target.AtMost(1.5);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(2);
    private static final Duration STOP_WITHIN = Duration.ofSeconds(10);

    private ColdStarts() {}

    static void measure(AppsRun run) throws Exception {
        List<Double> cold = new ArrayList<>();
        List<Double> own = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        try (HostedApps apps = HostedApps.on(run.folder())) {
            apps.deploy(
                    "small",
                    "v1",
                    MeasuredApps.shortLived(run.folder().resolve("short-lived"), "hello"));
            // Both read their files once before the first round.
            double _ = ownStart(apps);
            for (int round = 1; round <= run.rounds(); round++) {
                run.say(PART, round);
                apps.awaitNoInstance("small");
                double coldStart = coldStart(apps);
                apps.awaitNoInstance("small");
                double ownStart = ownStart(apps);
                cold.add(coldStart);
                own.add(ownStart);
                ratios.add(coldStart / ownStart);
            }
        }
        run.figures().add(new Figure(PART, "cold start of Flask", "s", AppFigures.NONE, cold));
        run.figures().add(new Figure(PART, "start of the process", "s", AppFigures.NONE, own));
        run.figures().add(new Figure(PART, "cold start / start", "", RATIO, ratios));
    }

    private static double coldStart(HostedApps apps) throws IOException, InterruptedException {
        long from = System.nanoTime();
        var answer = apps.get("/");
        if (answer.statusCode() != 200) {
            throw new IOException("a cold start answered " + answer.statusCode());
        }
        return (System.nanoTime() - from) / 1e9;
    }

    private static double ownStart(HostedApps apps) throws IOException {
        Path builds = apps.builds("small");
        Path layer = only(builds.resolve("layers")).resolve("content");
        int port = ServerProcess.freePort();
        ProcessBuilder command =
                new ProcessBuilder(
                                layer.resolve("bin/gunicorn").toString(),
                                "--bind",
                                "127.0.0.1:" + port,
                                "--workers",
                                "1",
                                "--threads",
                                "8",
                                "--timeout",
                                "0",
                                "main:app")
                        .directory(only(builds.resolve("builds")).resolve("content/app").toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        command.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        URI page = URI.create("http://127.0.0.1:" + port + "/");
        long from = System.nanoTime();
        RunningProcess process = RunningProcess.start(command);
        try {
            HostedApps.await(
                    "no answer of gunicorn",
                    () -> apps.answers(page) || !process.alive(),
                    POLL_INTERVAL);
            if (!process.alive()) {
                throw new IOException("gunicorn ended");
            }
            return (System.nanoTime() - from) / 1e9;
        } finally {
            process.stop(STOP_WITHIN);
        }
    }

    private static Path only(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> trees = files.filter(Files::isDirectory).toList();
            if (trees.size() != 1) {
                throw new IOException(folder + " has not one folder: " + trees);
            }
            return trees.getFirst();
        }
    }
}
