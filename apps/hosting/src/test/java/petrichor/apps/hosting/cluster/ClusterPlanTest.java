package petrichor.apps.hosting.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import petrichor.apps.hosting.cluster.Neighbours.Neighbour;
import petrichor.apps.router.Backend;
import petrichor.apps.router.Backends;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.scaling.Decision;
import petrichor.apps.scaling.LoadObservation;
import petrichor.apps.scaling.ScalingReason;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/** Plans of several servers that exchange real readings, with time and losses by a seed. */
class ClusterPlanTest {
    private static final VersionName VERSION = new VersionName("demo", "default", "v1");
    private static final VersionKey KEY = new VersionKey(VERSION, "1");
    private static final ClusterPlan.Needs NEEDS = new ClusterPlan.Needs(KEY, 256 << 20, 10);
    private static final int SEEDS = 100;
    private static final int SERVERS = 3;

    private final AtomicLong nanos = new AtomicLong();
    private final TreeMap<String, Server> servers = new TreeMap<>();
    private Map<String, Integer> before = Map.of();

    private final TimeSource time =
            new TimeSource() {
                @Override
                public long epochMicros() {
                    return nanos.get() / 1_000;
                }

                @Override
                public long monotonicNanos() {
                    return nanos.get();
                }
            };

    /** A server that starts an instance within a second, and does what its plan says. */
    private final class Server implements Neighbours {
        private final String id;
        private final ClusterPlan plan;
        private boolean reachable = true;
        private int ready;
        private int starting;

        Server(String id) {
            this.id = id;
            this.plan =
                    new ClusterPlan(
                            this,
                            () -> new ServerReading.Machine(8L << 30, 0.1),
                            () -> new ServerReading.Gate("127.0.0.1", 1, "secret"),
                            time);
        }

        @Override
        public Optional<Neighbour> self() {
            return Optional.of(new Neighbour(id, "address of " + id));
        }

        @Override
        public List<Neighbour> others() {
            return servers.keySet().stream()
                    .filter(other -> !other.equals(id))
                    .map(other -> new Neighbour(other, "address of " + other))
                    .toList();
        }

        @Override
        public CompletableFuture<byte[]> ask(Neighbour other) {
            Server to = servers.get(other.id());
            return to == null || !to.reachable || !reachable
                    ? CompletableFuture.failedFuture(
                            PetrichorException.of(ErrorCode.UNAVAILABLE, "not reachable"))
                    : CompletableFuture.completedFuture(to.plan.reading().encoded());
        }

        private List<VersionReading.Running> running() {
            List<VersionReading.Running> all = new ArrayList<>();
            for (int i = 0; i < ready + starting; i++) {
                all.add(new VersionReading.Running(id + i, i < ready, 0, 0, "test"));
            }
            return all;
        }

        void scale(int wanted) {
            ready += starting;
            starting = 0;
            VersionReading reading =
                    new VersionReading(KEY, running(), VersionReading.Demand.NONE, false, null);
            int share =
                    plan.next(
                                    new ClusterPlan.Own(
                                            NEEDS,
                                            reading,
                                            new LoadObservation(
                                                    Instant.EPOCH,
                                                    java.util.Collections.nCopies(ready, 0.0),
                                                    0,
                                                    LoadObservation.Pending.NONE,
                                                    0)),
                                    _ -> decision(wanted))
                            .instances();
            if (share > ready) {
                starting = share - ready;
            } else {
                ready = share;
            }
        }
    }

    private static Decision decision(int wanted) {
        return new Decision(
                wanted,
                List.of(new Decision.Rule(ScalingReason.MIN_INSTANCES, wanted)),
                new Decision.Load(0, 0, 6));
    }

    private void start(int count) {
        for (int i = 0; i < count; i++) {
            String id = "server-" + i;
            servers.put(id, new Server(id));
        }
    }

    /** One second of all servers, in a random order. */
    private void second(Random random, int wanted) {
        List<Server> order = new ArrayList<>(servers.values());
        java.util.Collections.shuffle(order, random);
        for (Server each : order) {
            nanos.addAndGet(random.nextInt(1, 300_000_000));
            each.plan.refresh();
            each.scale(wanted);
        }
        nanos.addAndGet(300_000_000);
        order.forEach(each -> each.plan.refresh());
    }

    private Server server(String id) {
        return java.util.Objects.requireNonNull(servers.get(id));
    }

    private int instances() {
        return servers.values().stream().mapToInt(each -> each.ready + each.starting).sum();
    }

    private Map<String, Integer> counts() {
        Map<String, Integer> counts = new TreeMap<>();
        servers.forEach((id, server) -> counts.put(id, server.ready + server.starting));
        return counts;
    }

    @Test
    void theNumberHoldsForTheClusterForAnySeed() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            servers.clear();
            start(SERVERS);
            int wanted = random.nextInt(6);
            for (int i = 0; i < 12; i++) {
                second(random, wanted);
                assertThat(instances()).as("seed %d", seed).isLessThanOrEqualTo(wanted);
            }
            assertThat(instances()).as("seed %d", seed).isEqualTo(wanted);
            before = counts();
            for (int i = 0; i < 10; i++) {
                second(random, wanted);
                assertThat(counts()).as("seed %d flaps", seed).isEqualTo(before);
            }
        }
    }

    @Test
    void theShareOfAKilledServerMovesWithinSecondsForAnySeed() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            servers.clear();
            start(SERVERS);
            int wanted = 1 + random.nextInt(5);
            for (int i = 0; i < 12; i++) {
                second(random, wanted);
            }
            servers.remove("server-" + random.nextInt(SERVERS));
            for (int i = 0; i < 8; i++) {
                second(random, wanted);
                assertThat(instances()).as("seed %d", seed).isLessThanOrEqualTo(wanted);
            }
            assertThat(instances()).as("seed %d", seed).isEqualTo(wanted);
        }
    }

    @Test
    void aServerThatNobodyReachesLeavesAnInstanceOnBothSidesForAnySeed() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            servers.clear();
            start(SERVERS);
            int wanted = 1 + random.nextInt(3);
            for (int i = 0; i < 12; i++) {
                second(random, wanted);
            }
            Server cut = server("server-" + random.nextInt(SERVERS));
            cut.reachable = false;
            for (int i = 0; i < 8; i++) {
                second(random, wanted);
            }
            assertThat(cut.ready).as("seed %d", seed).isEqualTo(wanted);
            assertThat(instances()).as("seed %d", seed).isEqualTo(2 * wanted);
            cut.reachable = true;
            for (int i = 0; i < 12; i++) {
                second(random, wanted);
            }
            assertThat(instances()).as("seed %d", seed).isEqualTo(wanted);
        }
    }

    private Backends.Wanted request(Optional<String> avoided) {
        return new Backends.Wanted(VERSION, Optional.empty(), avoided, Duration.ofSeconds(1));
    }

    @Test
    void requestsGoWhereInstancesAre() {
        start(SERVERS);
        Random random = new Random(1);
        for (int i = 0; i < 12; i++) {
            second(random, 1);
        }
        for (Server each : servers.values()) {
            Optional<Backend> found =
                    each.plan.elsewhere(NEEDS, request(Optional.empty()), each.ready);
            assertThat(found.isPresent()).isEqualTo(each.ready == 0);
            found.ifPresent(
                    backend -> {
                        assertThat(server(backend.id()).ready).isEqualTo(1);
                        assertThat(backend.gate()).isPresent();
                        each.plan.release(backend, Backends.Use.UNREACHABLE);
                        assertThat(each.plan.runsElsewhere(KEY))
                                .as("a server that cannot be reached gets no requests")
                                .isFalse();
                    });
        }
    }

    @Test
    void withoutAnInstanceAllRequestsGoToTheSameServer() {
        for (int seed = 0; seed < SEEDS; seed++) {
            servers.clear();
            start(SERVERS);
            Random random = new Random(seed);
            for (int i = 0; i < 6; i++) {
                second(random, 0);
            }
            List<String> starters = new ArrayList<>();
            for (Server each : servers.values()) {
                starters.add(
                        each.plan
                                .elsewhere(NEEDS, request(Optional.empty()), 0)
                                .map(Backend::id)
                                .orElse(each.id));
            }
            assertThat(starters.stream().distinct()).as("seed %d", seed).hasSize(1);
        }
    }

    @Test
    void otherDeploymentsDoNotCount() {
        start(2);
        Random random = new Random(1);
        for (int i = 0; i < 12; i++) {
            second(random, 1);
        }
        VersionKey next = new VersionKey(VERSION, "2");
        assertThat(servers.values()).noneMatch(each -> each.plan.runsElsewhere(next));
        assertThat(servers.values()).anyMatch(each -> each.plan.runsElsewhere(KEY));
    }
}
