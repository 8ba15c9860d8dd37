package petrichor.bench;

import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.protobuf.MessageLite;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongFunction;

/**
 * Lookups and queries over gRPC, compared with an echo server that sends answers of the same size.
 */
final class Reads {
    private static final int ENTITIES = 20_000;
    private static final int CLIENTS = 32;
    private static final int HALF_LOAD_ROUNDS = 5;
    private static final double HALF_LOAD_P99_MICROS_MAX = 10_000;

    private Reads() {}

    private interface Call {
        MessageLite run(GrpcCalls client, SplittableRandom random);
    }

    static void measure(Report report, int rounds, Duration length, Progress progress)
            throws Exception {
        try (TemporaryFolder folder = new TemporaryFolder();
                ServerProcess ours =
                        ServerProcess.petrichor(List.of("--data", folder.path("data").toString()));
                GrpcCalls client = new GrpcCalls("127.0.0.1", ours.port())) {
            progress.say("loading " + ENTITIES + " entities");
            Loading.load(client, ENTITIES);
            Call one = (calls, random) -> calls.lookup(lookup(1, random));
            Call ten = (calls, random) -> calls.lookup(lookup(10, random));
            LongFunction<com.google.datastore.v1.RunQueryRequest> group = SampleData::byGroup;
            Call query =
                    (calls, random) ->
                            calls.runQuery(
                                    group.apply(random.nextLong(ENTITIES / SampleData.GROUP_SIZE)));
            contest(
                    report,
                    "lookup of 1 key",
                    "Lookup",
                    one,
                    0.8,
                    ours,
                    client,
                    folder,
                    rounds,
                    length,
                    progress);
            contest(
                    report,
                    "lookup of 10 keys",
                    "Lookup",
                    ten,
                    0.8,
                    ours,
                    client,
                    folder,
                    rounds,
                    length,
                    progress);
            contest(
                    report,
                    "query of 20 entities by a property",
                    "RunQuery",
                    query,
                    0.65,
                    ours,
                    client,
                    folder,
                    rounds,
                    length,
                    progress);
        }
    }

    private static LookupRequest lookup(int keys, SplittableRandom random) {
        List<Key> list = new ArrayList<>(keys);
        for (int i = 0; i < keys; i++) {
            list.add(SampleData.key(random.nextLong(ENTITIES)));
        }
        return SampleData.lookup(list);
    }

    private static void contest(
            Report report,
            String name,
            String method,
            Call call,
            double target,
            ServerProcess server,
            GrpcCalls ours,
            TemporaryFolder folder,
            int rounds,
            Duration length,
            Progress progress)
            throws Exception {
        Path answer = folder.path(name.replace(' ', '-'));
        Files.write(answer, call.run(ours, new SplittableRandom(7)).toByteArray());
        try (ServerProcess echoServer = ServerProcess.echo(method, answer);
                GrpcCalls echo = new GrpcCalls("127.0.0.1", echoServer.port())) {
            Contest.Outcome outcome =
                    new Contest(
                                    name + ", " + CLIENTS + " clients",
                                    "petrichor",
                                    List.of(
                                            new Contender(
                                                    "gRPC echo",
                                                    l -> run(echo, call, l, 0),
                                                    echoServer::cpu),
                                            new Contender(
                                                    "petrichor",
                                                    l -> run(ours, call, l, 0),
                                                    server::cpu)),
                                    Map.of("gRPC echo", target))
                            .run(rounds, length, progress);
            report.add(outcome);
            double half = outcome.median("petrichor", Sample::perSecond) / 2;
            progress.say(name + " at half load");
            double[] p99 = new double[HALF_LOAD_ROUNDS];
            for (int round = 0; round < p99.length; round++) {
                p99[round] = run(ours, call, length, half).p99Micros();
            }
            Arrays.sort(p99);
            double median = p99[p99.length / 2];
            report.add(
                    new Report.Figure(
                            name + ": p99 at half load",
                            median / 1000,
                            "ms",
                            "under 10",
                            median < HALF_LOAD_P99_MICROS_MAX));
        }
    }

    private static Sample run(GrpcCalls calls, Call call, Duration length, double perSecondMax)
            throws Exception {
        SplittableRandom[] random = new SplittableRandom[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            random[i] = new SplittableRandom(i);
        }
        return ClosedLoop.run(
                CLIENTS, length, perSecondMax, (client, _) -> call.run(calls, random[client]));
    }
}
