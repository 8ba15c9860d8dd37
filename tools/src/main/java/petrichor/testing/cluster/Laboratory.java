package petrichor.testing.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import petrichor.client.DatastoreClient;
import petrichor.entities.Consistency;
import petrichor.entities.EntityDatabase;
import petrichor.entities.EntityDatabases;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.server.data.StorePlugins;
import petrichor.server.logs.Logging;
import petrichor.testing.process.Pause;
import petrichor.transactions.Snapshot;
import petrichor.transactions.databases.RowDatabases;

/**
 * One run: sets up the system, runs clients, injects and repairs faults, and checks the guarantees.
 * Afterwards store, servers and network are removed; logs and the report remain.
 */
public final class Laboratory {
    private static final Duration CALM = Duration.ofSeconds(2);
    private static final Duration RECOVERY_MAX = Duration.ofSeconds(90);
    private static final Duration JUDGING_PERIOD = Duration.ofSeconds(3);
    private static final int DIFFERENCES_SHOWN = 10;

    private final LabOptions options;
    private final Consumer<String> say;
    private final Findings findings = new Findings();
    private final List<Workload> workloads;
    private final List<LabReport.Happened> happened = new ArrayList<>();
    private final AtomicBoolean over = new AtomicBoolean();
    private long entities;
    private long indexRows;

    private Laboratory(LabOptions options, Consumer<String> say) {
        this.options = options;
        this.workloads = Workload.of(options.sizes(), findings);
        this.say = say;
    }

    /**
     * @param say receives progress, one line at a time
     */
    public static LabReport run(LabOptions options, Consumer<String> say) {
        Logging.installForCommand();
        return new Laboratory(options, say).run();
    }

    private LabReport run() {
        List<String> databases = workloads.stream().map(Workload::name).toList();
        SplittableRandom chance = new SplittableRandom(options.seed());
        CommitActivity pulse = new CommitActivity(databases);
        List<String> notTested;
        try (LabSystem system = LabSystem.start(options, databases, say);
                ScheduledExecutorService alarm = Executors.newScheduledThreadPool(1)) {
            List<DatastoreClient> connections = new ArrayList<>();
            try {
                for (LabServer server : system.servers()) {
                    connections.add(DatastoreClient.open(server.host(), server.port()));
                }
                Clients clients = new Clients(connections, alarm, pulse);
                for (Workload workload : workloads) {
                    workload.prepare(clients.of(workload, chance.split()));
                }
                Faults faults = new Faults(system, options.faults(), chance.split());
                notTested = faults.impossible();
                clients.start(chance);
                injectFaults(system, faults, pulse, recovered(clients, chance));
                clients.end();
                judgeAtTheEnd(clients, chance);
            } finally {
                connections.forEach(DatastoreClient::close);
            }
            system.stopServers();
            compareIndexes(system);
        }
        long judged =
                workloads.stream()
                        .filter(ListAppends.class::isInstance)
                        .mapToLong(lists -> ((ListAppends) lists).judged())
                        .sum();
        LabReport report =
                new LabReport(
                        options,
                        List.copyOf(happened),
                        pulse.counts(),
                        judged,
                        entities,
                        indexRows,
                        notTested,
                        findings.count(),
                        findings.list());
        keep(report);
        return report;
    }

    private void keep(LabReport report) {
        try {
            Files.writeString(options.folder().resolve("report.json"), report.json() + "\n");
            Files.writeString(options.folder().resolve("report.txt"), report.text());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Threads that run the workloads until the end of the run, and one that checks meanwhile. */
    private final class Clients {
        private final List<DatastoreClient> connections;
        private final ScheduledExecutorService alarm;
        private final CommitActivity pulse;
        private final List<Thread> threads = new ArrayList<>();

        Clients(
                List<DatastoreClient> connections,
                ScheduledExecutorService alarm,
                CommitActivity pulse) {
            this.connections = connections;
            this.alarm = alarm;
            this.pulse = pulse;
        }

        LabClient of(Workload workload, SplittableRandom chance) {
            return new LabClient(
                    connections,
                    workload.name(),
                    alarm,
                    chance,
                    failed -> pulse.miss(workload.name(), failed));
        }

        void start(SplittableRandom chance) {
            for (Workload workload : workloads) {
                for (int number = 0; number < options.clients(); number++) {
                    LabClient client = of(workload, chance.split());
                    SplittableRandom own = chance.split();
                    start(workload.name(), () -> work(workload, client, own));
                }
                LabClient judge = of(workload, chance.split());
                start("checker of " + workload.name(), () -> judge(workload, judge));
            }
        }

        private void start(String name, Runnable work) {
            threads.add(
                    Thread.ofPlatform()
                            .name(name)
                            .start(
                                    () -> {
                                        try {
                                            work.run();
                                        } catch (RuntimeException | Error unforeseen) {
                                            findings.add(name, "its client failed: " + unforeseen);
                                        }
                                    }));
        }

        private void work(Workload workload, LabClient client, SplittableRandom chance) {
            while (!over.get()) {
                if (workload.step(client, chance)) {
                    pulse.beat(workload.name());
                }
            }
        }

        private void judge(Workload workload, LabClient client) {
            while (!over.get()) {
                workload.judge(client, false);
                Pause.of(JUDGING_PERIOD);
            }
        }

        void end() {
            over.set(true);
            for (Thread thread : threads) {
                try {
                    thread.join();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException(interrupted);
                }
            }
        }
    }

    /** Compares what each workload reads after a fault. */
    private Runnable recovered(Clients clients, SplittableRandom chance) {
        Map<Workload, LabClient> judges = new LinkedHashMap<>();
        workloads.forEach(workload -> judges.put(workload, clients.of(workload, chance.split())));
        return () -> judges.forEach(Workload::judgeRecovered);
    }

    private void injectFaults(
            LabSystem system, Faults faults, CommitActivity pulse, Runnable judgeRecovered) {
        long started = System.nanoTime();
        awaitBeats(system, pulse, System.nanoTime(), "before any fault");
        while (System.nanoTime() - started < options.time().toNanos()) {
            Pause.of(CALM);
            pulse.longestGapsMillis();
            Fault fault = faults.next();
            long at = millisSince(started);
            say.accept("%.1f s: %s".formatted(at / 1000.0, fault));
            fault.injection().run();
            Pause.of(fault.held());
            fault.healing().run();
            long healed = System.nanoTime();
            awaitBeats(system, pulse, healed, fault.toString());
            happened.add(
                    new LabReport.Happened(
                            at,
                            fault.name(),
                            fault.toString(),
                            Map.copyOf(pulse.longestGapsMillis()),
                            millisSince(healed)));
            judgeRecovered.run();
        }
        system.network().heal();
    }

    private static long millisSince(long nanoTime) {
        return (System.nanoTime() - nanoTime) / 1_000_000;
    }

    /**
     * Waits for recovery; a system that does not recover violates a guarantee. Servers that exited
     * are restarted, as by a service manager.
     */
    private void awaitBeats(LabSystem system, CommitActivity pulse, long since, String after) {
        long started = System.nanoTime();
        while (!pulse.allBeatSince(since)) {
            if (System.nanoTime() - started > RECOVERY_MAX.toNanos()) {
                findings.add(
                        "availability",
                        "no commit for "
                                + RECOVERY_MAX.toSeconds()
                                + " s after "
                                + after
                                + " in "
                                + pulse.silentSince(since));
                return;
            }
            system.servers().forEach(LabServer::start);
            Pause.briefly();
        }
    }

    private void judgeAtTheEnd(Clients clients, SplittableRandom chance) {
        say.accept("judging");
        for (Workload workload : workloads) {
            workload.judge(clients.of(workload, chance.split()), true);
        }
    }

    private void compareIndexes(LabSystem system) {
        say.accept("comparing indexes with entities");
        try (KeyValueStore store =
                        StorePlugins.installed().open(StoreUrl.parse(system.store().url()));
                RowDatabases databases = new RowDatabases(store)) {
            EntityDatabases all = new EntityDatabases(databases);
            for (Workload workload : workloads) {
                EntityDatabase database = all.open(LabClient.PROJECT, workload.name());
                try (Snapshot snapshot = database.rows().snapshot()) {
                    Consistency.Report report =
                            Consistency.check(database, snapshot, DIFFERENCES_SHOWN);
                    entities += report.entities();
                    indexRows += report.indexRows();
                    report.differences()
                            .forEach(
                                    difference -> findings.add(workload.name(), difference.text()));
                }
            }
        }
    }
}
