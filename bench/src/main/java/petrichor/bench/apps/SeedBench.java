package petrichor.bench.apps;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.bench.StartedStore;
import petrichor.bench.apps.AppFigures.Figure;
import petrichor.server.data.StorePlugins;

/**
 * The measurements of seed 000 on deployed apps: users who arrive during the run at the guestbook,
 * the shell and the sieves; up to 1,500 users of queries; and large batches of puts. One datastore
 * after the other, each with a new server.
 */
final class SeedBench {
    private static final String PROJECT = "seed";

    /** 100,000 entities, with 100 children each. */
    private static final int FAMILIES = 1_000;

    private static final int FILLING_USERS = 8;
    private static final int BATCH_USERS = 4;
    private static final List<Integer> BATCHES = List.of(1, 10, 100, 500);

    /** An instance of the queries' class F4 costs as much as four of class F1. */
    private static final int QUERIES_CLASS = 4;

    private static final double SECONDS_PER_HOUR = 3_600;
    private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(500);

    private final AppsRun run;
    private final SeedPlan plan;
    private final List<SeedResult> results = new ArrayList<>();

    SeedBench(AppsRun run, SeedPlan plan) {
        this.run = run;
        this.plan = plan;
    }

    /** A measurement with one server. */
    @FunctionalInterface
    private interface Measurement {
        void on(String store, HostedApps apps, Path folder) throws Exception;
    }

    /**
     * @param files writes what has been measured; after each datastore, so that a failure of the
     *     next one does not lose it
     */
    private void overStores(Measurement measurement, ResultFiles files) throws Exception {
        StorePlugins plugins = StorePlugins.installed();
        List<Exception> failures = new ArrayList<>();
        for (String store : plan.stores()) {
            try {
                over(store, plugins, measurement);
            } catch (IOException | IllegalStateException | PetrichorException e) {
                System.err.println(store + " failed: " + e.getMessage());
                failures.add(e);
            }
            files.write();
        }
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
    }

    /** Writes files. */
    @FunctionalInterface
    private interface ResultFiles {
        void write() throws IOException;
    }

    private void over(String store, StorePlugins plugins, Measurement measurement)
            throws Exception {
        Path folder = run.folder().resolve(store);
        @Nullable StartedStore below =
                store.equals(SeedPlan.EMBEDDED)
                        ? null
                        : StartedStore.start(
                                store,
                                plugins,
                                run.folder().resolve(store + "-nodes"),
                                run.progress());
        try (HostedApps apps =
                HostedApps.on(folder, Optional.ofNullable(below).map(StartedStore::address))) {
            measurement.on(store, apps, folder);
        } finally {
            if (below != null) {
                below.close();
            }
        }
    }

    void users() throws Exception {
        List<SeedLoad> loads = Arrays.stream(SeedLoad.values()).filter(SeedLoad::isApp).toList();
        overStores(
                (store, apps, folder) -> {
                    for (SeedLoad load : loads) {
                        apps.deploy(
                                PROJECT,
                                "v1",
                                SeedApp.sources(load, plan.examples(), folder.resolve("apps")));
                        try (SeedApp app = new SeedApp(apps)) {
                            if (load == SeedLoad.GUESTBOOK) {
                                app.signIn("/welcome");
                            }
                            measure(store, apps, load, app, 0);
                        }
                        apps.change(PROJECT, "delete", Optional.empty());
                    }
                },
                () -> new SeedReport("users", results, HostingPrices.listed()).write(plan.out()));
    }

    void queries() throws Exception {
        List<SeedLoad> loads =
                Arrays.stream(SeedLoad.values()).filter(each -> !each.isApp()).toList();
        overStores(
                (store, apps, folder) -> {
                    apps.deploy(
                            PROJECT,
                            "v1",
                            SeedApp.sources(SeedLoad.MIX, plan.examples(), folder.resolve("apps")));
                    try (SeedApp app = new SeedApp(apps)) {
                        int families = fill(store, app);
                        for (SeedLoad load : loads) {
                            if (load == SeedLoad.MIX) {
                                app.putKnownItems(FILLING_USERS);
                            }
                            measure(store, apps, load, app, families);
                        }
                    }
                },
                () -> new SeedReport("queries", results, HostingPrices.listed()).write(plan.out()));
    }

    /** As many parents with children as fit in the time; at most as many as in the seed. */
    private int fill(String store, SeedApp app) throws InterruptedException {
        run.progress().say(store + ": filling");
        long from = System.nanoTime();
        AtomicInteger next = new AtomicInteger();
        AtomicInteger stored = new AtomicInteger();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < FILLING_USERS; i++) {
                var _ =
                        threads.submit(
                                () -> {
                                    while (System.nanoTime() - from < plan.perLoad().toNanos()) {
                                        int family = next.getAndIncrement();
                                        if (family >= FAMILIES) {
                                            return true;
                                        }
                                        stored.addAndGet(app.putFamily(family) ? 1 : 0);
                                    }
                                    return false;
                                });
            }
        }
        run.figures()
                .add(
                        new Figure(
                                "queries",
                                store + ": parents with 100 children",
                                "",
                                AppFigures.NONE,
                                List.of((double) stored.get())));
        return Math.min(next.get(), FAMILIES);
    }

    private void measure(String store, HostedApps apps, SeedLoad load, SeedApp app, int families)
            throws Exception {
        run.progress().say(store + ": " + load.displayName());
        AtomicBoolean over = new AtomicBoolean();
        double[] instanceSeconds = {0};
        Thread sampler =
                Thread.ofVirtual().start(() -> instanceSeconds[0] = sampledInstances(apps, over));
        UserRamp ramp =
                UserRamp.run(load.users(), plan.perLoad(), user -> app.visit(load, user, families));
        over.set(true);
        sampler.join();
        int multiple = load.isApp() ? 1 : QUERIES_CLASS;
        SeedResult result =
                new SeedResult(store, load, ramp, instanceSeconds[0] * multiple / SECONDS_PER_HOUR);
        results.add(result);
        UserRamp.Interval end = ramp.end();
        String name = store + ", " + load.displayName() + ", last third: ";
        String part = load.isApp() ? "users" : "queries";
        figure(part, name + "answers", "/s", end.perSecond());
        figure(part, name + "p50", "ms", end.times().micros(0.5) / 1e3);
        figure(part, name + "p99", "ms", end.times().micros(0.99) / 1e3);
        figure(
                part,
                store + ", " + load.displayName() + ": failed",
                "requests",
                (double) ramp.failed());
    }

    private void figure(String part, String name, String unit, double value) {
        run.figures().add(new Figure(part, name, unit, AppFigures.NONE, List.of(value)));
    }

    /** Seconds of all instances together. */
    private static double sampledInstances(HostedApps apps, AtomicBoolean over) {
        double sum = 0;
        long last = System.nanoTime();
        while (!over.get()) {
            LockSupport.parkNanos(SAMPLE_INTERVAL.toNanos());
            try {
                int instances = apps.instances(PROJECT);
                long now = System.nanoTime();
                sum += instances * ((now - last) / 1e9);
                last = now;
            } catch (IOException busy) {
                // The next sample covers this time, too.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return sum;
            }
        }
        return sum;
    }

    void batches() throws Exception {
        List<BatchResult> batches = new ArrayList<>();
        Duration each = plan.perLoad().dividedBy(BATCHES.size());
        overStores(
                (store, apps, folder) -> {
                    apps.deploy(
                            PROJECT,
                            "v1",
                            SeedApp.sources(SeedLoad.MIX, plan.examples(), folder.resolve("apps")));
                    try (SeedApp app = new SeedApp(apps)) {
                        for (int entities : BATCHES) {
                            run.progress().say(store + ": batches of " + entities);
                            UserRamp ramp =
                                    UserRamp.run(BATCH_USERS, each, _ -> app.putItems(entities));
                            batches.add(new BatchResult(store, entities, BATCH_USERS, ramp));
                            String name = store + ", batches of " + entities;
                            double rate = ramp.end().perSecond() * entities;
                            figure("batches", name + ": entities", "/s", rate);
                            figure(
                                    "batches",
                                    name + ": p50",
                                    "ms",
                                    ramp.end().times().micros(0.5) / 1e3);
                        }
                    }
                },
                () -> BatchResult.write(batches, plan.out()));
    }
}
