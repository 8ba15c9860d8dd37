package petrichor.apps.hosting.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.hosting.cluster.ClusterReadings.Placed;
import petrichor.apps.hosting.cluster.Neighbours.Neighbour;
import petrichor.apps.hosting.cluster.VersionReading.Assignment;
import petrichor.apps.router.Backend;
import petrichor.apps.router.Backends;
import petrichor.apps.scaling.Decision;
import petrichor.apps.scaling.InstancePlacement;
import petrichor.apps.scaling.InstancePlacement.Candidate;
import petrichor.apps.scaling.InstancePlacement.Instances;
import petrichor.apps.scaling.LoadObservation;
import petrichor.base.TimeSource;

/**
 * Which instances of the cluster run on this server, and where requests go that it has no instance
 * for. Thread-safe; does not block.
 */
public final class ClusterPlan {
    /** Until then, servers are believed to do what the lead has decided. */
    private static final Duration OBEYED_WITHIN = Duration.ofSeconds(4);

    /** Between moves of instances of a version. */
    private static final Duration MOVE_PAUSE = Duration.ofSeconds(60);

    private static final Logger LOG = LoggerFactory.getLogger(ClusterPlan.class);
    private static final String ALONE = "";

    private final Neighbours neighbours;
    private final Supplier<ServerReading.Machine> machine;
    private final Supplier<ServerReading.Gate> gate;
    private final TimeSource time;
    private final ClusterReadings readings;
    private final Map<VersionKey, VersionReading> own = new ConcurrentHashMap<>();
    private final Map<VersionKey, Planned> planned = new ConcurrentHashMap<>();

    /** Since when a version runs on this server. */
    private final Map<VersionKey, Long> known = new ConcurrentHashMap<>();

    private final Map<Forwarded, AtomicInteger> forwarded = new ConcurrentHashMap<>();
    private volatile ServerReading.Machine measured;

    private record Planned(Map<String, Integer> shares, long changedNanos, long movedNanos) {}

    /** Requests that a server has of this one. */
    private record Forwarded(String server, petrichor.apps.router.table.VersionName version) {}

    /**
     * A version on this server.
     *
     * @param load since the last observation
     */
    public record Own(Needs needs, VersionReading reading, LoadObservation load) {
        VersionKey key() {
            return reading.key();
        }
    }

    /**
     * What an instance needs and offers.
     *
     * @param requestsMax at one time
     */
    public record Needs(VersionKey key, long memoryBytes, int requestsMax) {}

    /**
     * What this server should do.
     *
     * @param instances of the version on this server
     * @param lead address of the server that has decided; empty if it was this one
     */
    public record Share(int instances, Decision decision, String lead) {}

    public ClusterPlan(
            Neighbours neighbours,
            Supplier<ServerReading.Machine> machine,
            Supplier<ServerReading.Gate> gate,
            TimeSource time) {
        this.neighbours = neighbours;
        this.machine = machine;
        this.gate = gate;
        this.time = time;
        this.readings = new ClusterReadings(neighbours, time);
        this.measured = machine.get();
    }

    /** Measures this machine and asks the other servers. Call it twice in a second. */
    public void refresh() {
        measured = machine.get();
        readings.refresh();
    }

    /** Refreshes until the clock is shut down. */
    public void refreshEvery(Duration period, ScheduledExecutorService clock) {
        var _ =
                clock.scheduleWithFixedDelay(
                        () -> {
                            try {
                                refresh();
                            } catch (RuntimeException e) {
                                LOG.error("could not ask the other servers for their apps", e);
                            }
                        },
                        0,
                        period.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    /** For other servers. */
    public ServerReading reading() {
        return new ServerReading(gate.get(), measured, List.copyOf(own.values()));
    }

    /** Forgets other versions than these. */
    public void retain(Set<VersionKey> keys) {
        own.keySet().retainAll(keys);
        planned.keySet().retainAll(keys);
        known.keySet().retainAll(keys);
    }

    private String self() {
        return neighbours.self().map(Neighbour::id).orElse(ALONE);
    }

    /**
     * Decides by the load of all servers, if this one is the lead, and sends its decision to the
     * others.
     *
     * @param decide about the load of all servers
     */
    public Share next(Own version, Function<LoadObservation, Decision> decide) {
        List<Placed> others = readings.of(version.key());
        Decision decision = decide.apply(total(version.load(), others));
        String self = self();
        List<String> servers = new ArrayList<>(List.of(self));
        others.forEach(each -> servers.add(each.server().id()));
        String name = version.key().version().toString();
        String lead = InstancePlacement.lead(name, servers).orElse(self);
        int running = version.reading().instances().size();
        if (!isSettled(version.key())) {
            publish(version, null);
            return new Share(running, decision, "");
        }
        if (lead.equals(self)) {
            Assignment assignment = assign(version, others, decision, self);
            publish(version, assignment);
            return new Share(assignment.shares().getOrDefault(self, 0), decision, "");
        }
        publish(version, null);
        Placed leading =
                others.stream()
                        .filter(each -> each.server().id().equals(lead))
                        .findFirst()
                        .orElseThrow();
        Assignment assignment = leading.version().plan();
        return new Share(
                assignment == null ? running : assignment.shares().getOrDefault(self, 0),
                decision,
                leading.server().address());
    }

    /** Other servers may have just started to run it too, and may not know of each other. */
    private boolean isSettled(VersionKey key) {
        long now = time.monotonicNanos();
        long since = known.computeIfAbsent(key, _ -> now);
        return readings.isSettled()
                && (neighbours.others().isEmpty()
                        || now - since >= ClusterReadings.EXPIRY.toNanos());
    }

    private void publish(Own version, @Nullable Assignment assignment) {
        VersionReading reading = version.reading();
        own.put(
                version.key(),
                new VersionReading(
                        reading.key(),
                        reading.instances(),
                        reading.demand(),
                        reading.failing(),
                        assignment));
        if (assignment == null) {
            planned.remove(version.key());
        }
    }

    private static LoadObservation total(LoadObservation here, List<Placed> others) {
        List<Double> concurrency = new ArrayList<>(here.concurrency());
        int starting = here.starting();
        int requests = here.pending().requests();
        Duration waited = here.pending().latency();
        int backlog = here.backlog();
        for (Placed each : others) {
            VersionReading version = each.version();
            version.instances().stream()
                    .filter(VersionReading.Running::ready)
                    .forEach(instance -> concurrency.add(instance.concurrency()));
            starting += version.starting();
            requests += version.demand().requests();
            backlog += version.demand().backlog();
            Duration there = Duration.ofMillis(version.demand().waitedMillis());
            waited = waited.compareTo(there) >= 0 ? waited : there;
        }
        return new LoadObservation(
                here.at(),
                concurrency,
                starting,
                requests == 0
                        ? LoadObservation.Pending.NONE
                        : new LoadObservation.Pending(requests, waited),
                backlog);
    }

    private Assignment assign(Own version, List<Placed> others, Decision decision, String self) {
        long now = time.monotonicNanos();
        Planned before = planned.get(version.key());
        boolean recent = before != null && now - before.changedNanos() < OBEYED_WITHIN.toNanos();
        List<Candidate> candidates = new ArrayList<>();
        for (Candidate each : candidates(version.reading(), others, self)) {
            candidates.add(
                    recent && before != null
                            ? obeying(each, before.shares().getOrDefault(each.server(), 0))
                            : each);
        }
        Instances instances =
                new Instances(
                        version.key().version().toString(),
                        decision.instances(),
                        version.needs().memoryBytes());
        long moved = before == null ? now : before.movedNanos();
        boolean mayMove = now - moved >= MOVE_PAUSE.toNanos();
        Map<String, Integer> shares = InstancePlacement.assign(instances, candidates, mayMove);
        long since = before != null && before.shares().equals(shares) ? before.changedNanos() : now;
        planned.put(
                version.key(), new Planned(shares, since, mayMove && since == now ? now : moved));
        return new Assignment(
                decision.instances(),
                shares,
                InstancePlacement.first(instances, candidates).orElse(self),
                decision.explanation());
    }

    private List<Candidate> candidates(VersionReading here, List<Placed> others, String self) {
        List<Candidate> candidates = new ArrayList<>();
        candidates.add(candidate(self, measured, here));
        others.forEach(
                each ->
                        candidates.add(
                                candidate(
                                        each.server().id(), each.at().machine(), each.version())));
        return candidates;
    }

    private static Candidate candidate(
            String server, ServerReading.Machine machine, VersionReading version) {
        return new Candidate(
                server,
                machine.freeMemoryBytes(),
                machine.load(),
                version.ready(),
                version.starting(),
                version.failing());
    }

    /** With the instances that it is about to have. */
    private static Candidate obeying(Candidate now, int share) {
        int ready = Math.min(now.ready(), share);
        return new Candidate(
                now.server(),
                now.freeMemoryBytes(),
                now.load(),
                ready,
                share - ready,
                now.failing());
    }

    /** Whether another server has a ready instance that can be reached. */
    public boolean runsElsewhere(VersionKey key) {
        return readings.of(key).stream()
                .anyMatch(each -> each.version().ready() > 0 && isReachable(each));
    }

    private boolean isReachable(Placed at) {
        return readings.isReachable(at.server().id());
    }

    /**
     * The server that should answer a request instead of this one; {@link #release} ends its use.
     *
     * @param instances of this server
     */
    public Optional<Backend> elsewhere(Needs needs, Backends.Wanted wanted, int instances) {
        VersionKey key = needs.key();
        List<Placed> reachable = new ArrayList<>();
        for (Placed each : readings.of(key)) {
            if (isReachable(each)
                    && !wanted.avoided().filter(each.server().id()::equals).isPresent()) {
                reachable.add(each);
            }
        }
        if (reachable.isEmpty()) {
            return Optional.empty();
        }
        if (wanted.instance().isPresent()) {
            return reachable.stream()
                    .filter(each -> each.version().has(wanted.instance().get()))
                    .findFirst()
                    .map(each -> forward(each, key));
        }
        Optional<Placed> best =
                reachable.stream()
                        .filter(each -> each.version().ready() > 0)
                        .min(
                                Comparator.<Placed>comparingDouble(each -> use(each, key))
                                        .thenComparing(each -> each.server().id()));
        if (best.isPresent() || instances > 0) {
            // Without an instance here, requests queue there.
            return best.filter(each -> instances == 0 || use(each, key) < needs.requestsMax())
                    .map(each -> forward(each, key));
        }
        // A server that has refused it may not know yet that no instance runs: start one here.
        return wanted.avoided().isPresent()
                ? Optional.empty()
                : starter(needs, reachable).map(each -> forward(each, key));
    }

    /** Requests per instance. */
    private double use(Placed at, VersionKey key) {
        AtomicInteger mine = forwarded.get(new Forwarded(at.server().id(), key.version()));
        int load = Math.max(at.version().load(), mine == null ? 0 : mine.get());
        return load / (double) Math.max(1, at.version().ready());
    }

    /** Where the first instance starts; empty if that is here. */
    private Optional<Placed> starter(Needs needs, List<Placed> reachable) {
        Optional<Placed> starting =
                reachable.stream()
                        .filter(each -> each.version().starting() > 0 && !each.version().failing())
                        .min(Comparator.comparing(each -> each.server().id()));
        if (starting.isPresent()) {
            return starting;
        }
        String self = self();
        VersionReading here = own.get(needs.key());
        String first =
                plan(needs.key(), reachable)
                        .map(Assignment::first)
                        .orElseGet(
                                () ->
                                        InstancePlacement.first(
                                                        new Instances(
                                                                needs.key().version().toString(),
                                                                1,
                                                                needs.memoryBytes()),
                                                        here == null
                                                                ? candidates(reachable)
                                                                : candidates(here, reachable, self))
                                                .orElse(self));
        return reachable.stream().filter(each -> each.server().id().equals(first)).findFirst();
    }

    private static List<Candidate> candidates(List<Placed> servers) {
        return servers.stream()
                .map(each -> candidate(each.server().id(), each.at().machine(), each.version()))
                .toList();
    }

    /** The newest known decision of a lead. */
    private Optional<Assignment> plan(VersionKey key, Collection<Placed> others) {
        VersionReading here = own.get(key);
        if (here != null && here.plan() != null) {
            return Optional.of(here.plan());
        }
        return others.stream()
                .max(Comparator.comparing(each -> each.version().plan() != null))
                .map(each -> each.version().plan());
    }

    private Backend forward(Placed at, VersionKey key) {
        String server = at.server().id();
        var _ =
                forwarded
                        .computeIfAbsent(
                                new Forwarded(server, key.version()), _ -> new AtomicInteger())
                        .incrementAndGet();
        return new Backend(
                key.version(),
                server,
                at.gate(),
                Optional.of(new Backend.Gate(at.at().gate().token())));
    }

    /** Ends the use of another server. */
    public void release(Backend backend, Backends.Use use) {
        AtomicInteger mine = forwarded.get(new Forwarded(backend.id(), backend.version()));
        if (mine != null) {
            var _ = mine.decrementAndGet();
        }
        switch (use) {
            case UNREACHABLE -> readings.unreachable(backend.id());
            case ANSWERED -> readings.reached(backend.id());
            case ABANDONED, BROKEN, TIMED_OUT -> {}
        }
    }

    /** Whether a server has dropped out while it had a request. */
    public boolean isLost(Backend backend) {
        return readings.isLost(backend.id());
    }

    /**
     * A version on the other servers.
     *
     * @param server its address
     */
    public record There(String server, VersionReading reading) {}

    /** For operators. */
    public List<There> there(VersionKey key) {
        return readings.of(key).stream()
                .map(each -> new There(each.server().address(), each.version()))
                .sorted(Comparator.comparing(There::server))
                .toList();
    }

    /** Instances by address of the server, as the lead has decided; empty if that is unknown. */
    public Map<String, Integer> shares(VersionKey key) {
        Map<String, String> addresses = readings.addresses();
        Map<String, Integer> shares = new HashMap<>();
        plan(key, readings.of(key))
                .ifPresent(
                        known ->
                                known.shares()
                                        .forEach(
                                                (server, count) ->
                                                        shares.put(
                                                                addresses.getOrDefault(
                                                                        server, server),
                                                                count)));
        return shares;
    }

    /** Address of this server, for people. */
    public String address() {
        return neighbours.self().map(Neighbour::address).orElse("this server");
    }
}
