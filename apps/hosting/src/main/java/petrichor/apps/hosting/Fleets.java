package petrichor.apps.hosting;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.apps.hosting.cluster.ClusterPlan;
import petrichor.apps.hosting.cluster.VersionKey;
import petrichor.apps.router.Backend;
import petrichor.apps.router.Backends;
import petrichor.apps.router.table.OpenPath;
import petrichor.apps.router.table.VersionName;

/** The fleets of all versions, for the router. Thread-safe; does not block. */
public final class Fleets implements Backends {
    private final InetSocketAddress platform;
    private final Optional<ClusterPlan> cluster;
    private final Map<VersionName, Fleet> current = new ConcurrentHashMap<>();

    /** Fleets that complete their last requests. */
    private final List<Fleet> retired = new CopyOnWriteArrayList<>();

    /**
     * @param platform the server that answers for the platform itself
     */
    public Fleets(InetSocketAddress platform) {
        this(platform, Optional.empty());
    }

    /**
     * @param cluster the plan of its servers; empty for a standalone server
     */
    public Fleets(InetSocketAddress platform, Optional<ClusterPlan> cluster) {
        this.platform = platform;
        this.cluster = cluster;
    }

    @Nullable Fleet find(VersionName version) {
        return current.get(version);
    }

    List<Fleet> all() {
        return List.copyOf(current.values());
    }

    /** In the plan of the cluster. */
    Set<VersionKey> keys() {
        return current.values().stream()
                .flatMap(fleet -> fleet.plan().cluster().stream())
                .map(part -> part.needs().key())
                .collect(Collectors.toSet());
    }

    Set<Fleet> of(String app) {
        return current.values().stream()
                .filter(fleet -> fleet.plan().version().app().equals(app))
                .collect(Collectors.toSet());
    }

    /** Returns the fleet that it replaces; null if there was none. */
    @Nullable Fleet put(Fleet fleet) {
        return current.put(fleet.plan().version(), fleet);
    }

    @Nullable Fleet remove(VersionName version) {
        return current.remove(version);
    }

    /**
     * Stops a fleet that was replaced or removed, when its requests have ended. Those that wait for
     * an instance wait for one of its successor.
     */
    CompletableFuture<Void> retire(Fleet fleet, String reason) {
        retired.add(fleet);
        CompletableFuture<Void> ended =
                fleet.close(reason, waiters -> handOver(fleet.plan().version(), waiters, reason));
        return ended.whenComplete((_, _) -> retired.remove(fleet));
    }

    private void handOver(VersionName version, List<Waiter> waiters, String reason) {
        Fleet successor = current.get(version);
        while (successor != null && !successor.adopt(waiters)) {
            successor = after(version, successor);
        }
        if (successor == null) {
            waiters.forEach(each -> each.fail(reason));
        }
    }

    /** What replaced a closed fleet; null if it was not replaced. */
    private @Nullable Fleet after(VersionName version, Fleet closed) {
        Fleet next = current.get(version);
        return next == closed ? null : next;
    }

    @Override
    public CompletableFuture<Acquisition> acquire(Wanted wanted) {
        VersionName version = wanted.version();
        if (OpenPath.isPlatform(version)) {
            return CompletableFuture.completedFuture(
                    new Acquired(new Backend(version, OpenPath.PLATFORM, platform)));
        }
        Fleet fleet = current.get(version);
        while (fleet != null) {
            Optional<CompletableFuture<Acquisition>> acquired = fleet.acquire(wanted);
            if (acquired.isPresent()) {
                return acquired.get();
            }
            fleet = after(version, fleet);
        }
        return CompletableFuture.completedFuture(
                new Unavailable("the version " + version + " is not served", Waiter.RETRY_AFTER));
    }

    @Override
    public boolean isLost(Backend backend) {
        return cluster.filter(plan -> plan.isLost(backend)).isPresent();
    }

    @Override
    public void release(Backend backend, Use use) {
        if (OpenPath.isPlatform(backend.version())) {
            return;
        }
        if (backend.gate().isPresent()) {
            cluster.ifPresent(plan -> plan.release(backend, use));
            return;
        }
        Fleet fleet = current.get(backend.version());
        if (fleet != null) {
            fleet.release(backend, use);
        }
        for (Fleet one : retired) {
            if (one.plan().version().equals(backend.version())) {
                one.release(backend, use);
            }
        }
    }
}
