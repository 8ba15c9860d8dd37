package petrichor.apps.scaling;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import petrichor.base.PetrichorException;

/**
 * Spreads the instances of a version over the servers of a cluster. Stateless and deterministic:
 * the same candidates, in any order, lead to the same result.
 *
 * <p>An instance goes to the server with the highest score: its free memory, multiplied by the idle
 * share of its cores, divided by the instances of the version that it would have. A hash of server
 * and version changes the score by up to a quarter, so that versions prefer different ones of
 * servers that are alike (weighted rendezvous hashing). Instances stay where they are, unless they
 * are too many, or another server is at least {@value #MOVE_FACTOR} times as good.
 */
public final class InstancePlacement {
    /** How much better another server must be, so that an instance moves. */
    static final int MOVE_FACTOR = 2;

    /** A busy server still has this share of its cores: the weights of servers stay positive. */
    private static final double IDLE_MIN = 0.05;

    /** Of the score, by which a hash may change it. */
    private static final double HASH_SHARE = 0.25;

    private InstancePlacement() {}

    /**
     * A server that can run a version.
     *
     * @param freeMemoryBytes available to further instances
     * @param load share of its cores that is busy, 0 to 1
     * @param ready instances of the version
     * @param starting instances of the version that are not ready yet
     * @param failing whether instances of the version do not start there
     */
    public record Candidate(
            String server,
            long freeMemoryBytes,
            double load,
            int ready,
            int starting,
            boolean failing) {
        public Candidate {
            if (freeMemoryBytes < 0 || !(load >= 0 && load <= 1) || ready < 0 || starting < 0) {
                throw PetrichorException.invalid(
                        "server {server} reports {freeMemoryBytes} bytes of free memory, a load of"
                                + " {load}, {ready} ready and {starting} starting instances; none"
                                + " may be negative, and a load is at most 1.",
                        "server",
                        server,
                        "freeMemoryBytes",
                        freeMemoryBytes,
                        "load",
                        load,
                        "ready",
                        ready,
                        "starting",
                        starting);
            }
        }

        int instances() {
            return ready + starting;
        }

        double weight() {
            return freeMemoryBytes * Math.max(IDLE_MIN, 1 - load);
        }
    }

    /** What is placed. */
    public record Instances(String version, int wanted, long memoryBytes) {
        public Instances {
            if (wanted < 0 || memoryBytes < 1) {
                throw PetrichorException.invalid(
                        "{wanted} instances of {version} with {memoryBytes} bytes cannot be placed;"
                                + " the number must not be negative, and the memory positive.",
                        "version",
                        version,
                        "wanted",
                        wanted,
                        "memoryBytes",
                        memoryBytes);
            }
        }
    }

    /**
     * How many instances each server should have; their sum is the wanted number.
     *
     * <p>While instances start, no ready one stops before the ready ones are enough, so the sum may
     * exceed the wanted number for as long as a start takes. A move adds an instance first; the
     * next call, when it is ready, removes the one that it replaces.
     *
     * @param mayMove whether one instance may move to a better server
     */
    public static Map<String, Integer> assign(
            Instances instances, Collection<Candidate> candidates, boolean mayMove) {
        Map<String, Integer> counts = new TreeMap<>();
        Map<String, Candidate> servers = new TreeMap<>();
        int total = 0;
        int ready = 0;
        for (Candidate each : candidates) {
            servers.put(each.server(), each);
            counts.put(each.server(), each.instances());
            total += each.instances();
            ready += each.ready();
        }
        if (servers.isEmpty()) {
            return counts;
        }
        Placing placing = new Placing(instances, servers, counts);
        int surplus = total - instances.wanted();
        if (surplus > 0 && ready < total) {
            // A start may fail.
            surplus = Math.min(surplus, Math.max(0, ready - instances.wanted()));
        }
        for (; surplus > 0; surplus--) {
            placing.remove();
        }
        for (int missing = instances.wanted() - total; missing > 0; missing--) {
            placing.add();
        }
        if (mayMove && total == instances.wanted() && ready == total && total > 0) {
            placing.move();
        }
        return counts;
    }

    /** Where the first instance would start; empty without a server. */
    public static Optional<String> first(Instances instances, Collection<Candidate> candidates) {
        Map<String, Candidate> servers = new HashMap<>();
        candidates.forEach(each -> servers.put(each.server(), each));
        return new Placing(instances, servers, new HashMap<>()).best();
    }

    /** The server that decides for a version: the one with the highest hash. */
    public static Optional<String> lead(String version, Collection<String> servers) {
        return servers.stream()
                .max(
                        Comparator.<String>comparingLong(server -> hash(server, version))
                                .thenComparing(Comparator.naturalOrder()));
    }

    private static long hash(String server, String version) {
        CRC32C crc = new CRC32C();
        crc.update((server + "/" + version).getBytes(StandardCharsets.UTF_8));
        // A CRC is linear: similar names would all prefer the same server.
        long mixed = crc.getValue() * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 32)) * 0xBF58476D1CE4E5B9L;
        return (mixed ^ (mixed >>> 29)) & Long.MAX_VALUE;
    }

    /** Counts of instances by server that are being changed. */
    private record Placing(
            Instances instances, Map<String, Candidate> servers, Map<String, Integer> counts) {
        private int count(String server) {
            return counts.getOrDefault(server, 0);
        }

        private double score(Candidate server, int number) {
            double hash = hash(server.server(), instances.version()) / (double) Long.MAX_VALUE;
            return server.weight() / number * (1 + HASH_SHARE * hash);
        }

        /** Whether its memory is enough for the instances that it does not have yet. */
        private boolean fitsOneMore(Candidate server) {
            long more = Math.max(0, count(server.server()) - server.instances()) + 1L;
            return server.freeMemoryBytes() / instances.memoryBytes() >= more;
        }

        private Comparator<Candidate> byAdditions() {
            return Comparator.<Candidate, Boolean>comparing(server -> !server.failing())
                    .thenComparing(this::fitsOneMore)
                    .thenComparingDouble(server -> score(server, count(server.server()) + 1))
                    .thenComparing(Candidate::server);
        }

        Optional<String> best() {
            return servers.values().stream().max(byAdditions()).map(Candidate::server);
        }

        void add() {
            best().ifPresent(server -> counts.merge(server, 1, Integer::sum));
        }

        private Optional<Candidate> worst() {
            return servers.values().stream()
                    .filter(server -> count(server.server()) > 0)
                    .min(
                            Comparator.<Candidate, Boolean>comparing(server -> !server.failing())
                                    .thenComparingDouble(
                                            server -> score(server, count(server.server())))
                                    .thenComparing(Candidate::server));
        }

        void remove() {
            worst().ifPresent(server -> counts.merge(server.server(), -1, Integer::sum));
        }

        void move() {
            List<Candidate> free = new ArrayList<>();
            for (Candidate each : servers.values()) {
                if (!each.failing() && fitsOneMore(each)) {
                    free.add(each);
                }
            }
            Optional<Candidate> to = free.stream().max(byAdditions());
            Optional<Candidate> from = worst();
            if (to.isPresent()
                    && from.isPresent()
                    && !to.get().equals(from.get())
                    && score(to.get(), count(to.get().server()) + 1)
                            > MOVE_FACTOR * score(from.get(), count(from.get().server()))) {
                counts.merge(to.get().server(), 1, Integer::sum);
            }
        }
    }
}
