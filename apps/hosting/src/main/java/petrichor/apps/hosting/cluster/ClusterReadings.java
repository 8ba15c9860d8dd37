package petrichor.apps.hosting.cluster;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.hosting.cluster.Neighbours.Neighbour;
import petrichor.base.TimeSource;

/** The readings of the other servers. A reading expires. Thread-safe; does not block. */
final class ClusterReadings {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterReadings.class);

    /** A server without a newer reading has dropped out: its instances do not count. */
    static final Duration EXPIRY = Duration.ofMillis(2_500);

    /** For one answer. */
    private static final Duration ANSWER_MAX = Duration.ofSeconds(2);

    private static final Duration SUSPECT_MIN = Duration.ofMillis(500);
    private static final Duration SUSPECT_MAX = Duration.ofSeconds(30);
    private static final int DOUBLINGS_MAX = 6;

    private final Neighbours neighbours;
    private final TimeSource time;
    private final Map<String, Seen> seen = new ConcurrentHashMap<>();
    private final Set<String> asked = ConcurrentHashMap.newKeySet();
    private final Set<String> unreadable = ConcurrentHashMap.newKeySet();
    private final Map<String, Suspicion> suspicions = new ConcurrentHashMap<>();
    private final long startNanos;
    private volatile Map<VersionKey, List<Placed>> byVersion = Map.of();

    private record Seen(
            Neighbour server, ServerReading reading, InetSocketAddress gate, long atNanos) {}

    /** Requests did not reach the server; it gets none until then. */
    private record Suspicion(long untilNanos, int failures) {}

    /**
     * A version on another server.
     *
     * @param gate where its router accepts requests
     */
    record Placed(
            Neighbour server,
            ServerReading at,
            InetSocketAddress gate,
            VersionReading version,
            long atNanos) {}

    ClusterReadings(Neighbours neighbours, TimeSource time) {
        this.neighbours = neighbours;
        this.time = time;
        this.startNanos = time.monotonicNanos();
    }

    /** Asks all other servers; answers arrive later. Call it twice in a second. */
    void refresh() {
        List<Neighbour> others = neighbours.others();
        Set<String> ids = others.stream().map(Neighbour::id).collect(Collectors.toSet());
        if (seen.keySet().retainAll(ids)) {
            index();
        }
        suspicions.keySet().retainAll(ids);
        unreadable.retainAll(ids);
        for (Neighbour other : others) {
            if (asked.add(other.id())) {
                var _ =
                        neighbours
                                .ask(other)
                                .orTimeout(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS)
                                .whenComplete((bytes, failure) -> answered(other, bytes, failure));
            }
        }
    }

    private void answered(Neighbour from, byte @Nullable [] bytes, @Nullable Throwable failure) {
        asked.remove(from.id());
        try {
            if (bytes == null) {
                throw new IllegalStateException(failure);
            }
            ServerReading reading = ServerReading.decode(bytes);
            InetSocketAddress gate =
                    new InetSocketAddress(reading.gate().host(), reading.gate().port());
            seen.put(from.id(), new Seen(from, reading, gate, time.monotonicNanos()));
            unreadable.remove(from.id());
            index();
        } catch (RuntimeException unknown) {
            if (unreadable.add(from.id())) {
                LOG.info("no reading of the apps of {}: {}", from.address(), unknown.toString());
            }
        }
    }

    private void index() {
        Map<VersionKey, List<Placed>> all = new HashMap<>();
        for (Seen each : seen.values()) {
            for (VersionReading version : each.reading().versions()) {
                all.computeIfAbsent(version.key(), _ -> new ArrayList<>())
                        .add(
                                new Placed(
                                        each.server(),
                                        each.reading(),
                                        each.gate(),
                                        version,
                                        each.atNanos()));
            }
        }
        byVersion = all;
    }

    /** Where else a version can run, by readings that have not expired. */
    List<Placed> of(VersionKey key) {
        long now = time.monotonicNanos();
        List<Placed> live = new ArrayList<>();
        for (Placed each : byVersion.getOrDefault(key, List.of())) {
            if (now - each.atNanos() < EXPIRY.toNanos()) {
                live.add(each);
            }
        }
        return live;
    }

    /** Whether all members have answered, or have had the time to. */
    boolean isSettled() {
        return time.monotonicNanos() - startNanos > EXPIRY.toNanos()
                || neighbours.others().stream().allMatch(other -> seen.containsKey(other.id()));
    }

    /** Whether the server's reading has expired. */
    boolean isLost(String server) {
        Seen last = seen.get(server);
        return last == null || time.monotonicNanos() - last.atNanos() >= EXPIRY.toNanos();
    }

    /** A request did not reach a server. */
    void unreachable(String server) {
        long now = time.monotonicNanos();
        suspicions.compute(
                server,
                (_, known) -> {
                    int failures = known == null ? 0 : Math.min(DOUBLINGS_MAX, known.failures());
                    long pause = Math.min(SUSPECT_MAX.toNanos(), SUSPECT_MIN.toNanos() << failures);
                    return new Suspicion(now + pause, failures + 1);
                });
    }

    void reached(String server) {
        if (!suspicions.isEmpty()) {
            suspicions.remove(server);
        }
    }

    boolean isReachable(String server) {
        Suspicion known = suspicions.get(server);
        return known == null || time.monotonicNanos() - known.untilNanos() > 0;
    }

    /** Addresses of servers, for people. */
    Map<String, String> addresses() {
        Map<String, String> addresses = new HashMap<>();
        Collection<Seen> all = seen.values();
        all.forEach(each -> addresses.put(each.server().id(), each.server().address()));
        neighbours.self().ifPresent(self -> addresses.put(self.id(), self.address()));
        return addresses;
    }
}
