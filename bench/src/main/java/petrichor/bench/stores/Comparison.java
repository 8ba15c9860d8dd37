package petrichor.bench.stores;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import petrichor.bench.Progress;

/**
 * Measures a {@link Plan} on several stores: fills them all, warms up, and then runs each operation
 * with each number of clients on one store after the other, so that drifts of the machine's speed
 * affect all of them. Stays within the plan's time: a slow store is filled with less data and gives
 * fewer samples, which the findings report.
 */
final class Comparison {
    /** Fraction of the time that filling may use. */
    private static final double LOADING_SHARE = 0.3;

    /** A store that exceeds its time by more than this fraction of the whole run is excluded. */
    private static final double OVERRUN_SHARE = 0.1;

    private static final int LOADING_WRITERS = 8;

    /** A warm-up is this many times shorter than a point. */
    private static final int WARM_UP_DIVISOR = 4;

    /** Puts are broken down for a single client, and where groups form. */
    private static final List<Integer> BREAKDOWN_CLIENTS = List.of(1, 10);

    /** With fewer samples a 99th percentile is merely the slowest of them. */
    private static final int SAMPLES_FEW = 100;

    private final Plan plan;
    private final List<OpenStore> stores;
    private final Progress progress;
    private final Findings findings;
    private final Map<OpenStore, Families> families = new HashMap<>();
    private final Map<OpenStore, Workload.Items> items = new HashMap<>();

    Comparison(Plan plan, List<OpenStore> stores, Progress progress) {
        this.plan = plan;
        this.stores = List.copyOf(stores);
        this.progress = progress;
        this.findings =
                new Findings(plan, Instant.now(), stores.stream().map(OpenStore::name).toList());
    }

    Findings run() {
        List<Plan.Task> tasks = plan.tasks();
        List<OpenStore> filled = fill();
        Duration left = plan.longest().minus(Duration.between(findings.began(), Instant.now()));
        Budget budget = new Budget(left, needed(tasks).multipliedBy(filled.size()));
        warmUp(filled, budget);
        int number = 0;
        OverrunBudget overruns =
                new OverrunBudget(
                        Duration.ofNanos((long) (plan.longest().toNanos() * OVERRUN_SHARE)));
        for (Plan.Task task : tasks) {
            for (OpenStore store : filled) {
                number++;
                if (overruns.exhausted(store.name())) {
                    continue;
                }
                progress.say(
                        "%d of %d: %s, %d clients, %s; at most %d min left"
                                .formatted(
                                        number,
                                        filled.size() * tasks.size(),
                                        task.title(),
                                        task.clients(),
                                        store.name(),
                                        budget.left().toMinutes() + 1));
                long began = System.nanoTime();
                Duration length = measure(store, task, budget);
                Duration overrun = Duration.ofNanos(System.nanoTime() - began).minus(length);
                if (overruns.spend(store.name(), overrun)) {
                    findings.notes()
                            .add(
                                    "%s: excluded from %s with %d clients on: its operations take so long that the run would exceed its time"
                                            .formatted(store.name(), task.title(), task.clients()));
                }
            }
        }
        filled.removeIf(store -> overruns.exhausted(store.name()));
        if (plan.workloads().contains(Workload.PUT)) {
            for (OpenStore store : filled) {
                for (int clients : BREAKDOWN_CLIENTS) {
                    progress.say("the steps of a put, " + clients + " clients, " + store.name());
                    takeApart(store, clients, budget.next(plan.length()));
                }
            }
        }
        if (budget.shortened()) {
            findings.notes()
                    .add(
                            "the time was too short for %s s per point: points are shorter; allow more with --max-minutes"
                                    .formatted(plan.length().toMillis() / 1e3));
        }
        progress.done();
        return findings;
    }

    /** The total time requested for one store. */
    private Duration needed(List<Plan.Task> tasks) {
        Duration needed = warmUpLength().multipliedBy(plan.warmUps().size());
        for (Plan.Task task : tasks) {
            // The deleted entities are put before, for the same time.
            int parts = task.workload() == Workload.DELETE ? 2 : 1;
            needed = needed.plus(plan.length().multipliedBy(parts));
        }
        return plan.workloads().contains(Workload.PUT)
                ? needed.plus(plan.length().multipliedBy(BREAKDOWN_CLIENTS.size()))
                : needed;
    }

    private Duration warmUpLength() {
        return plan.length().dividedBy(WARM_UP_DIVISOR);
    }

    // ---- preparation

    /** Returns the stores that were filled. */
    private List<OpenStore> fill() {
        List<OpenStore> filled = new ArrayList<>();
        Duration share =
                Duration.ofNanos((long) (plan.longest().toNanos() * LOADING_SHARE / stores.size()));
        for (OpenStore store : stores) {
            Families all = Families.of(store.calls().project(), plan.entities());
            progress.say("loading " + all.entities() + " entities: " + store.name());
            AtomicInteger next = new AtomicInteger();
            Load.Result result =
                    Load.run(
                            LOADING_WRITERS,
                            share,
                            _ -> {
                                int parent = next.getAndIncrement();
                                if (parent >= all.parents()) {
                                    return false;
                                }
                                store.calls().put(all.family(parent));
                                return true;
                            });
            if (result.failed() > 0 || result.latencies().count() == 0) {
                findings.notes()
                        .add(
                                "%s was not measured: it could not be filled: %s"
                                        .formatted(
                                                store.name(),
                                                String.join("; ", result.failures().keySet())));
                continue;
            }
            Families loaded = all.withParents((int) result.latencies().count());
            families.put(store, loaded);
            items.put(store, new Workload.Items());
            findings.loadings()
                    .add(new Findings.Loading(store.name(), loaded.entities(), result.seconds()));
            if (loaded.parents() < all.parents()) {
                findings.notes()
                        .add(
                                "%s holds only %d of %d entities: filling it took its share of the time"
                                        .formatted(
                                                store.name(), loaded.entities(), all.entities()));
            }
            filled.add(store);
        }
        return filled;
    }

    /** Until the JIT compilers have compiled each operation; not counted. */
    private void warmUp(List<OpenStore> filled, Budget budget) {
        for (Plan.Task task : plan.warmUps()) {
            for (OpenStore store : filled) {
                progress.say("warming up: " + task.title() + ", " + store.name());
                run(store, task, budget.next(warmUpLength()));
            }
        }
    }

    // ---- one point

    /** Returns the planned duration. */
    private Duration measure(OpenStore store, Plan.Task task, Budget budget) {
        Duration before = Duration.ZERO;
        if (task.workload() == Workload.DELETE) {
            before = budget.next(plan.length());
            stockUp(store, task.clients(), before);
        }
        Duration length = budget.next(plan.length());
        Load.Result result = run(store, task, length);
        findings.points().add(new Findings.Point(store.name(), task, result));
        String what = "%s, %s, %d clients".formatted(store.name(), task.title(), task.clients());
        result.failures()
                .forEach(
                        (text, times) ->
                                findings.notes()
                                        .add(
                                                "%s: failed %s times: %s"
                                                        .formatted(what, times, text)));
        if (result.latencies().count() < SAMPLES_FEW) {
            findings.notes().add("%s: only %d samples".formatted(what, result.latencies().count()));
        }
        return before.plus(length);
    }

    /** Puts entities to be deleted, for as long as the deletes may take. */
    private void stockUp(OpenStore store, int clients, Duration length) {
        run(store, new Plan.Task(Workload.PUT, false, clients), length);
    }

    private Load.Result run(OpenStore store, Plan.Task task, Duration length) {
        Families data = family(store);
        Workload.Items own = item(store);
        SplittableRandom[] random = new SplittableRandom[task.clients()];
        for (int i = 0; i < random.length; i++) {
            random[i] = new SplittableRandom(i);
        }
        Load.Result result =
                Load.run(
                        task.clients(),
                        length,
                        client ->
                                task.workload()
                                        .once(
                                                store.calls(),
                                                data,
                                                own,
                                                task.transaction(),
                                                random[client]));
        own.settle();
        return result;
    }

    private void takeApart(OpenStore store, int clients, Duration length) {
        Families data = family(store);
        Workload.Items own = item(store);
        Map<PutSteps.Step, Double> micros = new EnumMap<>(PutSteps.Step.class);
        Load.Result result =
                Load.run(
                        clients,
                        length,
                        _ -> {
                            Map<PutSteps.Step, Long> taken =
                                    store.steps()
                                            .time(
                                                    () ->
                                                            store.calls()
                                                                    .put(
                                                                            List.of(
                                                                                    data.item(
                                                                                            own
                                                                                                    .fresh()))));
                            synchronized (micros) {
                                taken.forEach(
                                        (step, nanos) ->
                                                micros.merge(step, nanos / 1e3, Double::sum));
                            }
                            return true;
                        });
        long samples = result.latencies().count();
        if (samples > 0) {
            micros.replaceAll((_, sum) -> sum / samples);
            findings.breakdowns()
                    .add(new Findings.PutBreakdown(store.name(), clients, samples, micros));
        }
    }

    private Families family(OpenStore store) {
        return Objects.requireNonNull(families.get(store));
    }

    private Workload.Items item(OpenStore store) {
        return Objects.requireNonNull(items.get(store));
    }
}
