package petrichor.apps.hosting;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.catalog.Quota;
import petrichor.apps.instances.InstanceSpec;
import petrichor.apps.router.table.VersionName;
import petrichor.base.TimeSource;

/**
 * Keeps the instances of each app on this server within its quotas: counts those that run, also
 * while they end, and refuses others. Thread-safe.
 */
final class InstanceQuotas {
    private static final Logger LOG = LoggerFactory.getLogger(InstanceQuotas.class);

    /** A version that replaces another one runs beside it for a moment. */
    private static final int HANDOVER_INSTANCES = 1;

    /** Between log lines about one app. */
    private static final Duration LOG_EVERY = Duration.ofMinutes(1);

    private final QuotaSettings settings;
    private final TimeSource time;
    private final Map<String, Use> uses = new HashMap<>();
    private final Map<String, Refusals> refusals = new HashMap<>();

    /** What runs. */
    record Use(int instances, long memoryBytes) {
        static final Use NONE = new Use(0, 0);

        private Use plus(int count, long bytes) {
            return new Use(instances + count, memoryBytes + bytes);
        }
    }

    private record Refusals(long count, long loggedNanos) {}

    /** Why an instance starts. */
    enum Start {
        /** Its version needs it. */
        NEEDED,
        /** It is the first one of a version that is being deployed. */
        DEPLOYED
    }

    InstanceQuotas(QuotaSettings settings, TimeSource time) {
        this.settings = settings;
        this.time = time;
    }

    private static long memory(InstanceSpec spec) {
        return spec.limits().memoryBytesMax();
    }

    /**
     * Counts an instance that is about to start, until {@link #ended}.
     *
     * @return why it must not start, and is not counted; empty if it may
     */
    synchronized Optional<String> begin(InstanceSpec spec, Start start) {
        String app = spec.name().app();
        Use use = uses.getOrDefault(app, Use.NONE);
        boolean deployed = start == Start.DEPLOYED;
        OptionalLong instances = settings.share(app, Quota.INSTANCES);
        OptionalLong memory = settings.share(app, Quota.MEMORY);
        if (instances.isPresent()
                && use.instances() >= instances.getAsLong() + (deployed ? HANDOVER_INSTANCES : 0)) {
            return Optional.of(refused(app, Quota.INSTANCES, use.instances()));
        }
        long more = deployed ? memory(spec) : 0;
        if (memory.isPresent() && use.memoryBytes() + memory(spec) > memory.getAsLong() + more) {
            return Optional.of(refused(app, Quota.MEMORY, use.memoryBytes()));
        }
        uses.put(app, use.plus(1, memory(spec)));
        return Optional.empty();
    }

    /** Holds the lock. */
    private String refused(String app, Quota quota, long use) {
        long limit = settings.share(app, quota).orElse(0);
        String text = quota.unit().format(limit);
        long now = time.monotonicNanos();
        Refusals before = refusals.getOrDefault(app, new Refusals(0, now - LOG_EVERY.toNanos()));
        boolean logs = now - before.loggedNanos() >= LOG_EVERY.toNanos();
        Refusals after = new Refusals(before.count() + 1, logs ? now : before.loggedNanos());
        refusals.put(app, after);
        if (logs) {
            LOG.warn(
                    "quota app={} quota={} limit={} use={} refused={}",
                    app,
                    quota.label(),
                    text,
                    use,
                    after.count());
        }
        return "the app is at its quota " + quota.label() + "=" + text;
    }

    synchronized void ended(InstanceSpec spec) {
        String app = spec.name().app();
        Use left = uses.getOrDefault(app, Use.NONE).plus(-1, -memory(spec));
        if (left.instances() <= 0) {
            uses.remove(app);
        } else {
            uses.put(app, left);
        }
    }

    synchronized Use use(String app) {
        return uses.getOrDefault(app, Use.NONE);
    }

    /** Starts that were refused, since this server started. */
    synchronized long refused(String app) {
        Refusals known = refusals.get(app);
        return known == null ? 0 : known.count();
    }

    /**
     * Stops instances over a quota that was lowered. Also makes room for a version with a share of
     * its service's requests that needs an instance, at the cost of versions without one.
     *
     * @param fleets all of one app
     * @param routed whether a version has such a share
     */
    void trim(String app, List<Fleet> fleets, Predicate<VersionName> routed) {
        OptionalLong instances = settings.share(app, Quota.INSTANCES);
        OptionalLong memory = settings.share(app, Quota.MEMORY);
        if (instances.isEmpty() && memory.isEmpty()) {
            return;
        }
        Comparator<Fleet> order =
                Comparator.<Fleet, Boolean>comparing(fleet -> routed.test(fleet.plan().version()))
                        .thenComparingInt(fleet -> fleet.quotaView().idlest().orElse(0));
        boolean stopped = true;
        while (stopped && isOver(fleets, instances, memory)) {
            stopped = stopIdlest(fleets.stream(), order);
        }
        boolean waits =
                fleets.stream()
                        .anyMatch(
                                fleet ->
                                        fleet.quotaView().refused()
                                                && routed.test(fleet.plan().version()));
        if (waits) {
            boolean _ =
                    stopIdlest(
                            fleets.stream().filter(fleet -> !routed.test(fleet.plan().version())),
                            order);
        }
    }

    private static boolean stopIdlest(Stream<Fleet> fleets, Comparator<Fleet> order) {
        return fleets.filter(fleet -> fleet.quotaView().idlest().isPresent())
                .min(order)
                .map(fleet -> fleet.leaveIdlest("the app is over its quota of instances"))
                .orElse(false);
    }

    private static boolean isOver(List<Fleet> fleets, OptionalLong instances, OptionalLong memory) {
        Use all = Use.NONE;
        for (Fleet fleet : fleets) {
            Use of = fleet.quotaView().staying();
            all = all.plus(of.instances(), of.memoryBytes());
        }
        return (instances.isPresent() && all.instances() > instances.getAsLong())
                || (memory.isPresent() && all.memoryBytes() > memory.getAsLong());
    }
}
