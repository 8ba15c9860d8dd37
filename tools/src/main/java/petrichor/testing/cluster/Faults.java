package petrichor.testing.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import petrichor.deployment.Node;
import petrichor.deployment.Progress;
import petrichor.deployment.StoreCluster;
import petrichor.testing.process.Pause;

/** All kinds of faults that are possible on this machine; chooses the next one. */
final class Faults {
    private static final Duration PAUSED_PER_TURN = Duration.ofMillis(150);
    private static final Duration RUNNING_PER_TURN = Duration.ofMillis(100);
    private static final int CLOCK_STEP_SECONDS_MAX = 90;

    private final LabSystem system;
    private final SplittableRandom chance;
    private final Map<String, Supplier<Fault>> kinds = new LinkedHashMap<>();
    private final List<String> impossible = new ArrayList<>();

    /**
     * @param wanted names of kinds; empty means all
     */
    Faults(LabSystem system, Set<String> wanted, SplittableRandom chance) {
        this.system = system;
        this.chance = chance;
        kinds.put("kill-server", () -> kill("kill-server", anyServer()));
        kinds.put("kill-sequencer", () -> kill("kill-sequencer", system.sequencer(anyDatabase())));
        kinds.put("pause-server", () -> pause("pause-server", anyServer()));
        kinds.put(
                "pause-sequencer", () -> pause("pause-sequencer", system.sequencer(anyDatabase())));
        kinds.put("kill-zookeeper-leader", this::killZooKeeperLeader);
        kinds.put("kill-store-node", this::killStoreNode);
        kinds.put("slow-store", this::slowStore);
        if (LabServer.fakeTime().isPresent()) {
            kinds.put("clock-step", this::stepClock);
        } else {
            impossible.add("clock-step (libfaketime is not installed)");
        }
        kinds.put(
                "cut-sequencer-zookeeper",
                () -> cut("cut-sequencer-zookeeper", system.zooKeeperHosts()));
        kinds.put("cut-sequencer-servers", this::cutFromServers);
        if (system.network().cutsFromStore(system.storeScheme())) {
            kinds.put("cut-sequencer-store", () -> cut("cut-sequencer-store", system.storeHosts()));
        } else {
            impossible.add("cut-sequencer-store (its driver finds nodes past the proxies)");
        }
        if (system.storeHosts().size() > 1) {
            if (system.network().cutsWithinStore()) {
                kinds.put("cut-store-nodes", this::cutStoreNodes);
            } else {
                impossible.add("cut-store-nodes (needs network namespaces)");
            }
        }
        if (!wanted.isEmpty()) {
            for (String name : wanted) {
                if (!kinds.containsKey(name)) {
                    throw petrichor.base.PetrichorException.invalid(
                            "there is no fault '" + name + "'; available: " + kinds.keySet());
                }
            }
            kinds.keySet().retainAll(wanted);
        }
    }

    /** The kinds that are impossible on this machine, with the reason. */
    List<String> impossible() {
        return impossible;
    }

    Fault next() {
        List<Supplier<Fault>> all = List.copyOf(kinds.values());
        return all.get(chance.nextInt(all.size())).get();
    }

    private LabServer anyServer() {
        return anyOf(system.servers());
    }

    private String anyDatabase() {
        return anyOf(system.databases());
    }

    private <T> T anyOf(List<T> all) {
        return all.get(chance.nextInt(all.size()));
    }

    private Duration between(int fromMillis, int toMillis) {
        return Duration.ofMillis(chance.nextInt(fromMillis, toMillis));
    }

    private Fault kill(String name, LabServer server) {
        return new Fault(
                name,
                server.name(),
                server::kill,
                between(200, 4_000),
                () -> {
                    server.start();
                    server.awaitReady();
                });
    }

    /** Usually longer than a lease, sometimes shorter. */
    private Fault pause(String name, LabServer server) {
        return new Fault(name, server.name(), server::pause, between(500, 8_000), server::resume);
    }

    private Fault killZooKeeperLeader() {
        StoreCluster ensemble = system.zooKeeper();
        Node leader = system.zooKeeperLeader();
        return killed("kill-zookeeper-leader", "zookeeper-" + leader.number(), ensemble, leader);
    }

    private Fault killStoreNode() {
        Node node = anyOf(system.store().cluster().nodes());
        return killed("kill-store-node", "store-" + node.number(), system.store(), node);
    }

    private Fault killed(String name, String victim, StoreCluster cluster, Node node) {
        return new Fault(
                name,
                victim,
                () -> cluster.kill(node),
                between(200, 3_000),
                () -> cluster.start(node, Progress.SILENT));
    }

    /** Alternately runs and suspends every node of the store. */
    private Fault slowStore() {
        StoreCluster store = system.store();
        AtomicBoolean over = new AtomicBoolean();
        Thread turns =
                Thread.ofPlatform()
                        .daemon()
                        .unstarted(
                                () -> {
                                    while (!over.get()) {
                                        store.cluster().nodes().forEach(store::pause);
                                        Pause.of(PAUSED_PER_TURN);
                                        store.cluster().nodes().forEach(store::resume);
                                        Pause.of(RUNNING_PER_TURN);
                                    }
                                });
        return new Fault(
                "slow-store",
                "all nodes",
                turns::start,
                between(1_000, 5_000),
                () -> {
                    over.set(true);
                    join(turns);
                });
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private Fault stepClock() {
        LabServer server = chance.nextBoolean() ? anyServer() : system.sequencer(anyDatabase());
        int seconds = chance.nextInt(-CLOCK_STEP_SECONDS_MAX, CLOCK_STEP_SECONDS_MAX + 1);
        return new Fault(
                "clock-step",
                server.name() + " by " + seconds + " s",
                () -> server.stepClock(seconds),
                between(1_000, 4_000),
                () -> server.stepClock(0));
    }

    private Fault cut(String name, List<String> from) {
        LabServer sequencer = system.sequencer(anyDatabase());
        return new Fault(
                name,
                sequencer.name(),
                () -> from.forEach(host -> system.network().cut(sequencer.name(), host)),
                between(1_000, 8_000),
                system.network()::heal);
    }

    private Fault cutFromServers() {
        LabServer sequencer = system.sequencer(anyDatabase());
        List<String> others =
                system.servers().stream()
                        .filter(server -> server != sequencer)
                        .map(LabServer::name)
                        .toList();
        List<String> some = chance.nextBoolean() ? others : others.subList(0, 1);
        return new Fault(
                "cut-sequencer-servers",
                sequencer.name() + " from " + some,
                () -> some.forEach(other -> system.network().cut(sequencer.name(), other)),
                between(1_000, 8_000),
                system.network()::heal);
    }

    /** Disconnects one node of the store from the others, but not from the servers. */
    private Fault cutStoreNodes() {
        String lonely = anyOf(system.storeHosts());
        return new Fault(
                "cut-store-nodes",
                lonely,
                () ->
                        system.storeHosts().stream()
                                .filter(host -> !host.equals(lonely))
                                .forEach(host -> system.network().cut(lonely, host)),
                between(1_000, 6_000),
                system.network()::heal);
    }
}
