package petrichor.bench;

import com.google.datastore.v1.RunQueryRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;

/** The same queries, with the same number of results, over small and large data. */
final class Scale {
    private static final int SMALL = 10_000;
    private static final double LATENCY_RATIO_MAX = 1.5;

    private Scale() {}

    private record Sized(String name, GrpcCalls calls, int entities) {}

    static void measure(Report report, int rounds, Duration length, int large, Progress progress)
            throws Exception {
        try (TemporaryFolder folder = new TemporaryFolder();
                ServerProcess few =
                        ServerProcess.petrichor(List.of("--data", folder.path("few").toString()));
                ServerProcess many =
                        ServerProcess.petrichor(List.of("--data", folder.path("many").toString()));
                GrpcCalls fewCalls = new GrpcCalls("127.0.0.1", few.port());
                GrpcCalls manyCalls = new GrpcCalls("127.0.0.1", many.port())) {
            progress.say("loading " + SMALL + " and " + large + " entities");
            Loading.load(fewCalls, SMALL);
            long began = System.nanoTime();
            Loading.load(manyCalls, large);
            report.note(
                    "loaded %,d entities at %,.0f per second (batches of 200, 8 writers)"
                            .formatted(large, large / ((System.nanoTime() - began) / 1e9)));
            Sized small = new Sized("10,000 entities", fewCalls, SMALL);
            Sized big = new Sized("%,d entities".formatted(large), manyCalls, large);
            compare(
                    report,
                    "query of 20 by a property",
                    s -> SampleData.byGroup(random(s).nextLong(s.entities / SampleData.GROUP_SIZE)),
                    small,
                    big,
                    rounds,
                    length,
                    progress);
            compare(
                    report,
                    "first 20 in descending order",
                    _ -> SampleData.newestGroups(),
                    small,
                    big,
                    rounds,
                    length,
                    progress);
            // 10 entities of 10,000 share city and rank; with more data the query is limited to 10.
            compare(
                    report,
                    "two properties, indexes merged, first 10",
                    s -> {
                        long city = random(s).nextLong(1000);
                        RunQueryRequest query =
                                SampleData.byCityAndRank(city, city % SampleData.GROUP_SIZE);
                        return query.toBuilder()
                                .setQuery(
                                        query.getQuery().toBuilder()
                                                .setLimit(com.google.protobuf.Int32Value.of(10)))
                                .build();
                    },
                    small,
                    big,
                    rounds,
                    length,
                    progress);
        }
    }

    private static SplittableRandom random(Sized sized) {
        return new SplittableRandom(System.nanoTime() ^ sized.entities);
    }

    private static void compare(
            Report report,
            String name,
            Function<Sized, RunQueryRequest> query,
            Sized small,
            Sized big,
            int rounds,
            Duration length,
            Progress progress)
            throws Exception {
        Contest.Outcome outcome =
                new Contest(
                                name + ", 1 client",
                                big.name,
                                List.of(contender(small, query), contender(big, query)),
                                Map.of())
                        .run(rounds, length, progress);
        report.add(outcome);
        double ratio =
                outcome.median(big.name, Sample::p50Micros)
                        / outcome.median(small.name, Sample::p50Micros);
        report.add(
                new Report.Figure(
                        name + ": latency, much over little",
                        ratio,
                        "",
                        "at most 1.5",
                        ratio <= LATENCY_RATIO_MAX));
    }

    private static Contender contender(Sized sized, Function<Sized, RunQueryRequest> query) {
        return new Contender(
                sized.name,
                length ->
                        ClosedLoop.run(
                                1, length, (_, _) -> sized.calls.runQuery(query.apply(sized))));
    }
}
