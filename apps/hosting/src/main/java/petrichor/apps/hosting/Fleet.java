package petrichor.apps.hosting;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.hosting.cluster.ClusterPlan;
import petrichor.apps.hosting.cluster.VersionReading;
import petrichor.apps.instances.Instance;
import petrichor.apps.instances.InstanceSpec;
import petrichor.apps.instances.InstanceState;
import petrichor.apps.instances.RestartPolicy;
import petrichor.apps.instances.StartResult;
import petrichor.apps.router.Backend;
import petrichor.apps.router.Backends;
import petrichor.apps.router.Backends.Acquisition;
import petrichor.apps.scaling.Autoscaler;
import petrichor.apps.scaling.Decision;
import petrichor.apps.scaling.LoadObservation;
import petrichor.base.TimeSource;

/**
 * The instances of one version: as many as its scaling asks for. Requests that find no instance
 * with capacity wait in the order of their arrival. Instances that end by themselves are replaced,
 * after pauses that grow while they fail. Thread-safe; its methods for the router do not block.
 */
final class Fleet {
    private static final Logger LOG = LoggerFactory.getLogger(Fleet.class);

    /** Requests of one version that wait for an instance; each is a connection of a client. */
    static final int WAITING_MAX = 1_000;

    private final FleetPlan plan;
    private final Launcher launcher;
    private final StartFailures failures;
    private final TimeSource time;
    private final RandomGenerator random;
    private final Executor workers;
    private final Autoscaler autoscaler;
    private final ReentrantLock lock = new ReentrantLock();
    private final FleetMembers members = new FleetMembers();
    private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private int sequence;
    private boolean closed;
    private @Nullable Decision decision;
    private String lead = "";

    /** Why the last decision was not carried out; empty if it was. */
    private volatile String overQuota = "";

    /** Starts instances. */
    @FunctionalInterface
    interface Launcher {
        StartResult start(InstanceSpec spec);
    }

    /** A request that has found its instance. Completed without the lock. */
    private record Match(CompletableFuture<Acquisition> future, Backend backend) {}

    /**
     * @param workers threads that may block
     */
    Fleet(
            FleetPlan plan,
            Launcher launcher,
            RestartPolicy restarts,
            TimeSource time,
            RandomGenerator random,
            Executor workers) {
        this.plan = plan;
        this.launcher = launcher;
        this.failures = new StartFailures(restarts, time, random);
        this.time = time;
        this.random = random;
        this.workers = workers;
        this.autoscaler = new Autoscaler(plan.policy(), now(), 0);
    }

    private Instant now() {
        return Instant.EPOCH.plus(time.epochMicros(), ChronoUnit.MICROS);
    }

    FleetPlan plan() {
        return plan;
    }

    /** Empty if it is closed, and another fleet may have its place. */
    Optional<CompletableFuture<Acquisition>> acquire(Backends.Wanted wanted) {
        boolean wake;
        Waiter waiter;
        lock.lock();
        try {
            if (closed) {
                return Optional.empty();
            }
            FleetMember member = free(wanted);
            if (member != null) {
                return Optional.of(CompletableFuture.completedFuture(taken(member)));
            }
            Optional<Backend> other = plan.elsewhere(wanted, members.staying().size());
            if (other.isPresent()) {
                return Optional.of(Waiter.found(other.get()));
            }
            if (plan.refuses(wanted, members.staying().size())) {
                return Optional.of(Waiter.refused("another server runs " + plan.version()));
            }
            if (members.isGone(wanted)) {
                return Optional.of(Waiter.refused(Waiter.gone(wanted)));
            }
            if (waiting.size() >= WAITING_MAX) {
                return Optional.of(Waiter.refused("too many requests wait for " + plan.version()));
            }
            waiter = new Waiter(new CompletableFuture<>(), wanted, time.monotonicNanos());
            waiting.add(waiter);
            wake = members.staying().isEmpty();
        } finally {
            lock.unlock();
        }
        if (wake) {
            workers.execute(this::scale);
        }
        return Optional.of(waiter.future());
    }

    /** Takes over the requests that waited for a fleet that this one replaces; false if closed. */
    boolean adopt(List<Waiter> others) {
        List<Waiter> gone;
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            gone = others.stream().filter(each -> members.isGone(each.wanted())).toList();
            // They arrived before all of its own.
            for (Waiter each : others.reversed()) {
                if (!gone.contains(each)) {
                    waiting.addFirst(each);
                }
            }
        } finally {
            lock.unlock();
        }
        gone.forEach(each -> each.fail(Waiter.gone(each.wanted())));
        workers.execute(
                () -> {
                    serve();
                    scale();
                });
        return true;
    }

    /** Holds the lock. */
    private Backends.Acquired taken(FleetMember member) {
        member.begin(time.monotonicNanos());
        return new Backends.Acquired(member.backend(plan.version()));
    }

    /** Null if no instance has capacity. Holds the lock. */
    private @Nullable FleetMember free(Backends.Wanted wanted) {
        return members.free(wanted, plan.policy().concurrentRequestsMax());
    }

    void release(Backend backend, Backends.Use use) {
        if (plan.released(backend, use)) {
            return;
        }
        boolean anyWaits;
        lock.lock();
        try {
            members.end(backend, time.monotonicNanos(), use);
            anyWaits = !waiting.isEmpty();
        } finally {
            lock.unlock();
        }
        if (anyWaits) {
            serve();
        }
    }

    /** Gives free capacity to requests that wait. */
    private void serve() {
        List<Match> matches = new ArrayList<>();
        lock.lock();
        try {
            var each = waiting.iterator();
            while (each.hasNext()) {
                Waiter waiter = each.next();
                if (waiter.future().isDone()) {
                    each.remove();
                    continue;
                }
                FleetMember member = free(waiter.wanted());
                Optional<Backend> found =
                        member == null
                                ? plan.elsewhere(
                                        waiter.wantedAt(time.monotonicNanos()),
                                        members.staying().size())
                                : Optional.of(taken(member).backend());
                if (found.isPresent()) {
                    each.remove();
                    matches.add(new Match(waiter.future(), found.get()));
                } else if (waiter.wanted().instance().isEmpty()
                        && waiter.wanted().reach() == Backends.Reach.CLUSTER) {
                    break;
                }
            }
        } finally {
            lock.unlock();
        }
        for (Match match : matches) {
            if (!match.future().complete(new Backends.Acquired(match.backend()))) {
                release(match.backend(), Backends.Use.ABANDONED);
            }
        }
    }

    /** Observes the load, decides and acts. Call it every second. */
    void scale() {
        members.checkSuspects(lock, workers, time);
        serve(); // other servers of a cluster may have instances now
        List<Waiter> failed = List.of();
        String failureReason;
        int wanted = 0;
        int target;
        Decision next;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            long now = time.monotonicNanos();
            List<VersionReading.Running> running = members.running(now);
            ClusterPlan.Share share =
                    plan.share(
                            running,
                            observation(running, now),
                            !failures.mayStart(now),
                            autoscaler::decide);
            lead = share.lead();
            next = share.decision();
            decision = next;
            int staying = members.staying().size();
            target =
                    share.instances() == 0
                                    && !waiting.isEmpty()
                                    && !plan.startsElsewhere(members.staying().size())
                            ? Math.max(1, staying)
                            : share.instances();
            if (staying > target) {
                String reason = FleetPlan.leaveReason(next, target);
                members.idlest(staying - target).forEach(member -> member.leave(reason));
            } else if (failures.mayStart(now)) {
                wanted = target - staying;
            } else if (staying == 0 && failures.last().isPresent()) {
                failed = List.copyOf(waiting);
                waiting.clear();
            }
            failureReason = failures.reason();
        } finally {
            lock.unlock();
        }
        failed.forEach(each -> each.fail(failureReason));
        overQuota = "";
        for (int i = wanted; i > 0; i--) {
            if (!start(next.reasonOf(target - i + 1).text())) {
                break;
            }
        }
    }

    /** Requests that no instance will get in time fail now. */
    private void overQuota(String reason) {
        List<Waiter> failed = List.of();
        overQuota = reason;
        lock.lock();
        try {
            if (members.staying().isEmpty()) {
                failed = List.copyOf(waiting);
                waiting.clear();
            }
        } finally {
            lock.unlock();
        }
        failed.forEach(each -> each.fail(reason));
    }

    /**
     * What quotas of the app apply to.
     *
     * @param staying instances that are not being stopped
     * @param idlest requests of the staying instance with the fewest
     * @param refused whether the last instance was not started because of a quota
     */
    record QuotaView(InstanceQuotas.Use staying, OptionalInt idlest, boolean refused) {}

    QuotaView quotaView() {
        lock.lock();
        try {
            return new QuotaView(
                    members.use(),
                    members.idlest(1).stream().mapToInt(FleetMember::requests).findFirst(),
                    !overQuota.isEmpty());
        } finally {
            lock.unlock();
        }
    }

    /** Stops the instance with the fewest requests when they have ended; false if there is none. */
    boolean leaveIdlest(String reason) {
        lock.lock();
        try {
            List<FleetMember> idlest = members.idlest(1);
            idlest.forEach(member -> member.leave(reason));
            return !idlest.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Holds the lock. */
    private LoadObservation observation(List<VersionReading.Running> running, long now) {
        waiting.removeIf(waiter -> waiter.future().isDone());
        Waiter first = waiting.peek();
        return new LoadObservation(
                now(),
                running.stream()
                        .filter(VersionReading.Running::ready)
                        .map(VersionReading.Running::concurrency)
                        .toList(),
                (int) members.all().filter(FleetMember::isStarting).count(),
                first == null
                        ? LoadObservation.Pending.NONE
                        : new LoadObservation.Pending(
                                waiting.size(), Duration.ofNanos(now - first.sinceNanos())),
                plan.backlog().getAsInt());
    }

    /** Of an instance: no other one has it, also not in a fleet that this one replaces. */
    String nextId() {
        lock.lock();
        try {
            return sequence++ + "-" + Long.toHexString(random.nextLong() >>> 32);
        } finally {
            lock.unlock();
        }
    }

    /** Whether an instance is starting. */
    private boolean start(String reason) {
        InstanceSpec spec = plan.spec().apply(nextId());
        Optional<String> refused = plan.quotas().begin(spec, InstanceQuotas.Start.NEEDED);
        if (refused.isPresent()) {
            overQuota(refused.get());
            return false;
        }
        return switch (launcher.start(spec)) {
            case StartResult.Accepted(Instance instance) -> {
                join(instance, reason);
                yield true;
            }
            case StartResult.Refused(String refusal) -> {
                plan.quotas().ended(spec);
                LOG.warn("no instance of {} was started: {}", plan.version(), refusal);
                failed(refusal, 0);
                yield false;
            }
        };
    }

    /**
     * Adds an instance that was started for this fleet, and is counted by its quotas; it may be
     * ready already.
     *
     * @param reason why it was started
     */
    void join(Instance instance, String reason) {
        FleetMember member = new FleetMember(instance, reason, time.monotonicNanos());
        lock.lock();
        try {
            members.add(member);
            if (closed) {
                member.leave("the version is stopped");
            }
        } finally {
            lock.unlock();
        }
        instance.onState(state -> entered(member, state));
    }

    private void entered(FleetMember member, InstanceState state) {
        long now = time.monotonicNanos();
        long readyFor;
        lock.lock();
        try {
            readyFor = member.readyForNanos(now);
            member.enter(state, now);
            if (state.isFinal()) {
                members.remove(member);
                if (closed && members.isEmpty()) {
                    ended.complete(null);
                }
            }
        } finally {
            lock.unlock();
        }
        if (state.isFinal()) {
            plan.quotas().ended(member.instance().spec());
        }
        switch (state) {
            case InstanceState.Failed(_, String reason) -> {
                LOG.warn("{} failed: {}", member.instance(), reason);
                failed(reason, readyFor);
                workers.execute(this::scale);
            }
            case InstanceState.Ready _ -> {
                LOG.info("{} is ready", member.instance());
                workers.execute(this::serve);
            }
            case InstanceState.Stopped(String reason) ->
                    LOG.info("{} has stopped: {}", member.instance(), reason);
            case InstanceState.Starting _, InstanceState.Draining _ -> {}
        }
    }

    private void failed(String reason, long readyForNanos) {
        lock.lock();
        try {
            failures.add(reason, readyForNanos);
        } finally {
            lock.unlock();
        }
    }

    /** For operators. */
    FleetStatus status() {
        lock.lock();
        try {
            Decision last = decision;
            return new FleetStatus(
                    plan.version(),
                    members.all().map(FleetMember::status).toList(),
                    waiting.size(),
                    last == null ? "" : explanation(last),
                    failures.last(),
                    FleetStatus.Elsewhere.of(plan.cluster(), lead));
        } finally {
            lock.unlock();
        }
    }

    /** Holds the lock. */
    private String explanation(Decision last) {
        return overQuota.isEmpty()
                ? last.explanation()
                : last.explanation() + "; no more start because " + overQuota;
    }

    /** The same without a successor: requests that wait fail. */
    CompletableFuture<Void> close(String reason) {
        return close(reason, waiters -> waiters.forEach(each -> each.fail(reason)));
    }

    /**
     * Stops all instances when their requests have ended.
     *
     * @param waiters gets the requests that wait
     * @return completes when all instances have ended
     */
    CompletableFuture<Void> close(String reason, Consumer<List<Waiter>> waiters) {
        List<Waiter> left;
        lock.lock();
        try {
            closed = true;
            left = List.copyOf(waiting);
            waiting.clear();
            members.staying().forEach(member -> member.leave(reason));
            if (members.isEmpty()) {
                ended.complete(null);
            }
        } finally {
            lock.unlock();
        }
        waiters.accept(left);
        return ended.copy();
    }
}
