package petrichor.apps.hosting;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.hosting.cluster.VersionReading;
import petrichor.apps.router.Backend;
import petrichor.apps.router.Backends;
import petrichor.base.TimeSource;

/** The instances of a fleet. Not thread-safe; the fleet's lock guards it. */
final class FleetMembers {
    private static final Logger LOG = LoggerFactory.getLogger(FleetMembers.class);

    /** For the connection that shows whether an instance is reachable. */
    private static final Duration CHECK_MAX = Duration.ofSeconds(1);

    private final List<FleetMember> members = new ArrayList<>();

    void add(FleetMember member) {
        members.add(member);
    }

    void remove(FleetMember member) {
        members.remove(member);
    }

    boolean isEmpty() {
        return members.isEmpty();
    }

    Stream<FleetMember> all() {
        return members.stream();
    }

    /**
     * Checks instances that requests did not reach. Those whose processes have ended are gone.
     *
     * @param lock of the fleet
     */
    void checkSuspects(ReentrantLock lock, Executor workers, TimeSource time) {
        List<FleetMember> suspects;
        lock.lock();
        try {
            suspects = members.stream().filter(FleetMember::beginCheck).toList();
        } finally {
            lock.unlock();
        }
        suspects.forEach(member -> workers.execute(() -> check(member, lock, time)));
    }

    private static void check(FleetMember member, ReentrantLock lock, TimeSource time) {
        boolean accepts = member.instance().accepts(CHECK_MAX);
        lock.lock();
        try {
            if (member.checked(accepts, time.monotonicNanos())) {
                LOG.warn(
                        "{} refuses connections for more than {} s, and is replaced",
                        member.instance(),
                        FleetMember.REFUSING_MAX.toSeconds());
                member.leave("it refuses connections");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Those that are not being stopped, with their requests since the last call. */
    List<VersionReading.Running> running(long nowNanos) {
        return members.stream()
                .filter(FleetMember::stays)
                .map(
                        member ->
                                new VersionReading.Running(
                                        member.id(),
                                        member.isReady(),
                                        member.requests(),
                                        member.isReady() ? member.takeConcurrency(nowNanos) : 0,
                                        member.reason()))
                .toList();
    }

    /** Those that are not being stopped. */
    List<FleetMember> staying() {
        return members.stream().filter(FleetMember::stays).toList();
    }

    /** Of those that are not being stopped. */
    InstanceQuotas.Use use() {
        List<FleetMember> staying = staying();
        return new InstanceQuotas.Use(
                staying.size(),
                staying.stream()
                        .mapToLong(each -> each.instance().spec().limits().memoryBytesMax())
                        .sum());
    }

    /** The staying instances with the fewest requests. */
    List<FleetMember> idlest(int count) {
        return members.stream()
                .filter(FleetMember::stays)
                .sorted(Comparator.comparingInt(FleetMember::requests))
                .limit(count)
                .toList();
    }

    /**
     * The ready instance with the fewest requests; null if none has capacity.
     *
     * @param most requests of an instance
     */
    @Nullable FleetMember free(Backends.Wanted wanted, int most) {
        String only = wanted.instance().orElse(null);
        String avoided = wanted.avoided().orElse(null);
        FleetMember best = null;
        for (FleetMember member : members) {
            boolean possible =
                    member.isReady()
                            && member.requests() < most
                            && (only == null || member.id().equals(only));
            if (possible && (best == null || member.isBetterThan(best, avoided))) {
                best = member;
            }
        }
        return best;
    }

    /** Whether the instance that a request wants does not exist any more. */
    boolean isGone(Backends.Wanted wanted) {
        return wanted.instance()
                .filter(
                        id ->
                                members.stream()
                                        .noneMatch(
                                                member -> member.id().equals(id) && member.stays()))
                .isPresent();
    }

    void end(Backend backend, long nowNanos, Backends.Use use) {
        for (FleetMember member : members) {
            if (member.id().equals(backend.id())) {
                member.end(nowNanos, use);
            }
        }
    }
}
