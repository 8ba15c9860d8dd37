package petrichor.bench.movement;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import petrichor.bench.GrpcCalls;
import petrichor.bench.Loading;
import petrichor.bench.Sample;
import petrichor.testing.process.Pause;

/**
 * Latencies of reads and writes of a database, without a migration, while it is copied, and while
 * the other store follows: in turn, in the same process and database. Then switches under load.
 */
final class MigrationLatency {
    /** Of the requests: those of table 8.2 of seed 000. */
    private static final List<Integer> READS = List.of(20, 50, 80);

    /** Added by a migration, in percent: 115.8 over 107.2 ms, 103.3 over 100.2, 94.2 over 94.0. */
    private static final Map<Integer, Double> SEED = Map.of(20, 8.0, 50, 3.1, 80, 0.2);

    private static final double WRITES_ADDED_MAX = 0.03;

    /** What counts as nothing measurable. */
    private static final double READS_ADDED_MAX = 0.01;

    private static final double PAUSE_MS_MAX = 1_000;
    private static final String SEED_PAUSE = "at most 1,000 ms (seed 000: 46,400)";
    private static final String NONE = "no migration";
    private static final String AFTERWARDS = "no migration, afterwards";
    private static final String FOLLOWING = "following";
    private static final String COPYING = "copying";

    private final MovementRun run;
    private final MovementServer server;
    private final Migration migration;
    private final Map<Integer, Double> rates = new TreeMap<>();

    MigrationLatency(MovementRun run, MovementServer server) {
        this.run = run;
        this.server = server;
        this.migration = new Migration(server, "");
    }

    void measure() throws Exception {
        try (GrpcCalls calls = server.client()) {
            run.progress().say("loading entities");
            Loading.load(calls, run.entities());
            Map<String, List<Sample>> samples = new TreeMap<>();
            for (int reads : READS) {
                run.progress().say("highest rate at " + reads + " % reads");
                var _ = load(calls, reads).run(run.length(), 0);
                rates.put(reads, load(calls, reads).run(run.length(), 0).perSecond() * run.load());
            }
            for (int reads : READS) {
                round(calls, 0, reads, new TreeMap<>());
            }
            for (int round = 1; round <= run.rounds(); round++) {
                for (int reads : READS) {
                    round(calls, round, reads, samples);
                }
            }
            for (int reads : READS) {
                report(reads, "writes", WRITES_ADDED_MAX, samples);
                report(reads, "reads", READS_ADDED_MAX, samples);
            }
            switches(calls);
        }
    }

    private MixedLoad load(GrpcCalls calls, int reads) {
        return new MixedLoad(calls, run.clients(), run.entities(), reads / 100.0);
    }

    private void round(GrpcCalls calls, int round, int reads, Map<String, List<Sample>> samples)
            throws Exception {
        String step = "round " + round + ", " + reads + " % reads, ";
        MixedLoad load = load(calls, reads);
        double rate = rates.getOrDefault(reads, 0.0);
        run.progress().say(step + NONE);
        keep(measured(() -> load.run(run.length(), rate)), reads, NONE, samples);
        run.progress().say(step + COPYING);
        migration.start();
        long deadline = System.nanoTime() + run.length().toNanos();
        AtomicBoolean copying = new AtomicBoolean(true);
        try (ExecutorService watcher = Executors.newSingleThreadExecutor()) {
            var watched = CompletableFuture.runAsync(() -> watchCopy(copying), watcher);
            keep(
                    measured(
                            () ->
                                    load.run(
                                            () -> copying.get() && System.nanoTime() < deadline,
                                            rate)),
                    reads,
                    COPYING,
                    samples);
            copying.set(false);
            watched.join();
        }
        migration.awaitPhase(Migration.READY);
        run.progress().say(step + FOLLOWING);
        keep(measured(() -> load.run(run.length(), rate)), reads, FOLLOWING, samples);
        migration.cancel();
        run.progress().say(step + AFTERWARDS);
        keep(measured(() -> load.run(run.length(), rate)), reads, AFTERWARDS, samples);
    }

    /** With the processor time of the server. */
    private record Measured(MixedLoad.Result result, double cpuMicros) {}

    private Measured measured(Callable<MixedLoad.Result> load) throws Exception {
        Duration before = server.cpu();
        MixedLoad.Result result = load.call();
        double micros = server.cpu().minus(before).toNanos() / 1e3;
        return new Measured(result, micros / (result.reads().count() + result.writes().count()));
    }

    private void watchCopy(AtomicBoolean copying) {
        while (copying.get() && migration.phase().equals(Migration.COPY)) {
            Pause.briefly();
        }
        copying.set(false);
    }

    private static void keep(
            Measured measured, int reads, String state, Map<String, List<Sample>> samples) {
        MixedLoad.Result result = measured.result();
        if (result.firstFailure() != null) {
            throw new IllegalStateException(
                    result.failures() + " requests failed, " + state, result.firstFailure());
        }
        samples.computeIfAbsent(key(reads, "reads", state), _ -> new ArrayList<>())
                .add(result.reads().ofOneClient(measured.cpuMicros()));
        samples.computeIfAbsent(key(reads, "writes", state), _ -> new ArrayList<>())
                .add(result.writes().ofOneClient(measured.cpuMicros()));
    }

    private static String key(int reads, String requests, String state) {
        return reads + requests + state;
    }

    private void report(
            int reads, String requests, double addedMax, Map<String, List<Sample>> samples) {
        List<Sample> before = samples.getOrDefault(key(reads, requests, NONE), List.of());
        List<Sample> after = samples.getOrDefault(key(reads, requests, AFTERWARDS), List.of());
        for (String state : List.of(FOLLOWING, COPYING)) {
            List<Sample> with = samples.getOrDefault(key(reads, requests, state), List.of());
            Map<String, List<Sample>> all = new LinkedHashMap<>();
            all.put(state, with);
            all.put(NONE, before);
            all.put(AFTERWARDS, after);
            run.add(requests + " at " + reads + " % reads, " + state, state, all, Map.of());
            double[] means = new double[with.size()];
            double[] medians = new double[with.size()];
            double[] cpu = new double[with.size()];
            for (int i = 0; i < means.length; i++) {
                Sample one = with.get(i);
                Sample first = before.get(i);
                Sample last = after.get(i);
                means[i] = added(1 / one.perSecond(), 1 / first.perSecond(), 1 / last.perSecond());
                medians[i] = added(one.p50Micros(), first.p50Micros(), last.p50Micros());
                cpu[i] = added(one.cpuMicros(), first.cpuMicros(), last.cpuMicros());
            }
            String name = requests + " at " + reads + " % reads, " + state + ": added to the ";
            double mean = MovementRun.median(means);
            run.figure(
                    name + "mean",
                    mean * 100,
                    "%",
                    String.format(
                            Locale.ROOT,
                            "at most %.0f %% (seed 000: %.1f)",
                            addedMax * 100,
                            SEED.getOrDefault(reads, Double.NaN)),
                    mean <= addedMax);
            run.figure(name + "median", MovementRun.median(medians) * 100, "%", "none", true);
            run.figure(
                    name + "processor time of a request",
                    MovementRun.median(cpu) * 100,
                    "%",
                    "none",
                    true);
        }
    }

    /** Relative to the mean of what was measured before and afterwards. */
    private static double added(double with, double before, double after) {
        return with / ((before + after) / 2) - 1;
    }

    /** Switches to and fro while clients read and write; requests may wait, and none may fail. */
    private void switches(GrpcCalls calls) throws Exception {
        int reads = 50;
        migration.start();
        migration.awaitPhase(Migration.READY);
        AtomicBoolean running = new AtomicBoolean(true);
        List<Double> pauses = new ArrayList<>();
        MixedLoad.Result result;
        try (ExecutorService background = Executors.newSingleThreadExecutor()) {
            var seen =
                    background.submit(
                            () ->
                                    load(calls, reads)
                                            .run(running::get, rates.getOrDefault(reads, 0.0)));
            try {
                for (int i = 0; i < 2 * run.rounds(); i++) {
                    run.progress().say("switch " + (i + 1) + " of " + 2 * run.rounds());
                    Pause.of(run.length().dividedBy(4));
                    JsonObject switched = migration.ask(i == 0 ? "switch" : "reverse");
                    pauses.add(switched.get("pauseMs").getAsDouble());
                }
            } finally {
                running.set(false);
            }
            result = seen.get();
        }
        migration.end("complete");
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        samples.put(
                "switch",
                pauses.stream().map(ms -> new Sample(1e3 / ms, ms * 1e3, ms * 1e3)).toList());
        run.add("pauses of commits at a switch (p50 of each)", "switch", samples, Map.of());
        double worst = pauses.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
        run.figure(
                "longest pause of commits in " + pauses.size() + " switches",
                worst,
                "ms",
                SEED_PAUSE,
                worst <= PAUSE_MS_MAX);
        double longest = Math.max(result.reads().maxMillis(), result.writes().maxMillis());
        run.figure("slowest request meanwhile", longest, "ms", SEED_PAUSE, longest <= PAUSE_MS_MAX);
        run.figure(
                "failed requests, of " + (result.reads().count() + result.writes().count()),
                (double) result.failures(),
                "",
                "0 (seed 000: 0)",
                result.failures() == 0);
    }
}
