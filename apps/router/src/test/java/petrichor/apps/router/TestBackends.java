package petrichor.apps.router;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import petrichor.apps.router.table.VersionName;

/** Instances in turn; a version without instances is starting, and its requests wait. */
final class TestBackends implements Backends {
    private final Map<VersionName, List<TestInstance>> instances = new ConcurrentHashMap<>();
    private final Map<VersionName, List<Waiting>> waiting = new ConcurrentHashMap<>();
    private final AtomicInteger turn = new AtomicInteger();
    private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    private final List<Use> uses = new CopyOnWriteArrayList<>();
    private final List<Wanted> wanted = new CopyOnWriteArrayList<>();

    private record Waiting(Wanted wanted, CompletableFuture<Acquisition> future) {}

    synchronized void add(VersionName version, TestInstance instance) {
        instances.computeIfAbsent(version, _ -> new ArrayList<>()).add(instance);
        for (Waiting each : waiting.getOrDefault(version, List.of())) {
            if (each.future().complete(acquired(version, instance))) {
                enter(instance);
            }
        }
        waiting.remove(version);
    }

    /** New requests go to other instances. */
    synchronized void remove(VersionName version, TestInstance instance) {
        instances.getOrDefault(version, new ArrayList<>()).remove(instance);
    }

    @Override
    public synchronized CompletableFuture<Acquisition> acquire(Wanted want) {
        wanted.add(want);
        if (want.version().version().equals("stopped")) {
            return CompletableFuture.completedFuture(
                    new Unavailable("The version is stopped.", Duration.ofSeconds(7)));
        }
        if (want.version().version().equals("defective")) {
            throw new IllegalStateException("a defect of the assembly");
        }
        List<TestInstance> all = instances.getOrDefault(want.version(), List.of());
        if (all.isEmpty()) {
            CompletableFuture<Acquisition> later = new CompletableFuture<>();
            waiting.computeIfAbsent(want.version(), _ -> new ArrayList<>())
                    .add(new Waiting(want, later));
            return later;
        }
        List<TestInstance> good =
                all.stream()
                        .filter(each -> !want.avoided().equals(java.util.Optional.of(each.id())))
                        .toList();
        List<TestInstance> among = good.isEmpty() ? all : good;
        TestInstance next = among.get(Math.floorMod(turn.getAndIncrement(), among.size()));
        enter(next);
        return CompletableFuture.completedFuture(acquired(want.version(), next));
    }

    private void enter(TestInstance instance) {
        running.computeIfAbsent(instance.id(), _ -> new AtomicInteger()).incrementAndGet();
    }

    private static Acquired acquired(VersionName version, TestInstance instance) {
        return new Acquired(new Backend(version, instance.id(), instance.address()));
    }

    @Override
    public void release(Backend backend, Use use) {
        uses.add(use);
        running.getOrDefault(backend.id(), new AtomicInteger()).decrementAndGet();
    }

    /** Requests that use the instance; 0 for all together if the id is empty. */
    int running(TestInstance instance) {
        return running.getOrDefault(instance.id(), new AtomicInteger()).get();
    }

    int running() {
        return running.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    List<Use> uses() {
        return uses;
    }

    List<Wanted> wanted() {
        return wanted;
    }

    synchronized int waiting() {
        return waiting.values().stream().mapToInt(List::size).sum();
    }

    synchronized boolean allCancelled() {
        return waiting.values().stream()
                .flatMap(List::stream)
                .allMatch(each -> each.future().isCancelled());
    }
}
