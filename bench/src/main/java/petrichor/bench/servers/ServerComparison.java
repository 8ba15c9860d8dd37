package petrichor.bench.servers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import petrichor.bench.ClosedLoop;
import petrichor.bench.Contender;
import petrichor.bench.Contest;
import petrichor.bench.GrpcCalls;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.bench.Sample;
import petrichor.testing.process.PetrichorServer;

/**
 * The same clients at one server and at several: each has a connection of its own to one server, as
 * if through a load balancer, and accesses any database, so that most commits arrive at another
 * server than their owner.
 */
final class ServerComparison {
    private static final String ONE = "one server";
    private static final double TARGET = 1.0;

    /**
     * Of each side before the comparison: three fresh JVMs on two cores need three times as long as
     * one until their JIT compilers have settled, and start-up is not what is compared.
     */
    private static final Duration WARM_UP = Duration.ofSeconds(60);

    private final ServerGroup several;
    private final ServerGroup one;
    private final Tenants tenants;
    private final int clients;

    ServerComparison(ServerGroup several, ServerGroup one, int databases, int clients) {
        this.several = several;
        this.one = one;
        this.tenants = new Tenants(databases);
        this.clients = clients;
    }

    private enum Mix {
        PUTS("puts of one entity", 0),
        MIXED("80 % lookups, 20 % puts", 80),
        LOOKUPS("lookups of one entity", 100);

        private final String title;
        private final int readsOfHundred;

        Mix(String title, int readsOfHundred) {
            this.title = title;
            this.readsOfHundred = readsOfHundred;
        }
    }

    void measure(Report report, int rounds, Duration length, Progress progress) throws Exception {
        String ours = several.servers().size() + " servers";
        try (Connections toSeveral = Connections.open(several, clients);
                Connections toOne = Connections.open(one, clients)) {
            progress.say("loading");
            tenants.load(toSeveral.calls().getFirst());
            tenants.load(toOne.calls().getFirst());
            progress.say("warming up");
            run(Mix.MIXED, toSeveral, WARM_UP, new LongAdder());
            run(Mix.MIXED, toOne, WARM_UP.dividedBy(several.servers().size()), new LongAdder());
            for (Mix mix : Mix.values()) {
                LongAdder requests = new LongAdder();
                LongAdder requestsOfOne = new LongAdder();
                Duration cpu = several.cpu();
                Duration cpuOfOne = one.cpu();
                long sentOn = several.counted("petrichor_cluster_forwarded_total");
                long questions = several.counted("petrichor_cluster_version_questions_total");
                report.add(
                        new Contest(
                                        mix.title + ", " + clients + " clients",
                                        ours,
                                        List.of(
                                                new Contender(
                                                        ours,
                                                        l -> run(mix, toSeveral, l, requests)),
                                                new Contender(
                                                        ONE,
                                                        l -> run(mix, toOne, l, requestsOfOne))),
                                        Map.of(ONE, TARGET))
                                .run(rounds, length, progress));
                // A request for a version is forwarded like any other request.
                questions =
                        several.counted("petrichor_cluster_version_questions_total") - questions;
                sentOn = several.counted("petrichor_cluster_forwarded_total") - sentOn - questions;
                cost(report, mix.title + ", " + ours, several.cpu().minus(cpu), requests.sum());
                cost(
                        report,
                        mix.title + ", " + ONE,
                        one.cpu().minus(cpuOfOne),
                        requestsOfOne.sum());
                share(report, mix.title + ": sent on to owners", sentOn, requests.sum());
                share(report, mix.title + ": questions for versions", questions, requests.sum());
            }
        }
    }

    private static void cost(Report report, String what, Duration cpu, long requests) {
        report.add(
                new Report.Figure(
                        what + ": processor time of a request in the servers",
                        cpu.toNanos() / 1e3 / Math.max(1, requests),
                        "us",
                        "none",
                        true));
    }

    private static void share(Report report, String what, long count, long requests) {
        report.add(
                new Report.Figure(
                        what,
                        100.0 * count / Math.max(1, requests),
                        "% of requests",
                        "none",
                        true));
    }

    private Sample run(Mix mix, Connections to, Duration length, LongAdder requests)
            throws Exception {
        SplittableRandom[] random = new SplittableRandom[clients];
        for (int i = 0; i < clients; i++) {
            random[i] = new SplittableRandom(i);
        }
        return ClosedLoop.run(
                clients,
                length,
                (client, number) -> {
                    SplittableRandom chance = random[client];
                    GrpcCalls calls = to.calls().get(client);
                    String database = Tenants.database(chance.nextInt(tenants.databases()));
                    long entity = chance.nextLong(Tenants.ENTITIES);
                    requests.increment();
                    if (chance.nextInt(100) < mix.readsOfHundred) {
                        if (calls.lookup(Tenants.lookup(database, entity)).getFoundCount() != 1) {
                            throw new IllegalStateException(
                                    "entity " + entity + " of " + database + " is missing");
                        }
                    } else {
                        calls.commit(Tenants.put(database, entity, number));
                    }
                });
    }

    /** The connections of all clients, to the servers in turn. */
    private record Connections(List<GrpcCalls> calls) implements AutoCloseable {
        static Connections open(ServerGroup group, int clients) {
            List<PetrichorServer> servers = group.servers();
            List<GrpcCalls> calls = new ArrayList<>();
            for (int client = 0; client < clients; client++) {
                calls.add(new GrpcCalls("127.0.0.1", servers.get(client % servers.size()).port()));
            }
            return new Connections(calls);
        }

        @Override
        public void close() {
            calls.forEach(GrpcCalls::close);
        }
    }
}
