package petrichor.bench.movement;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.bench.ClosedLoop;
import petrichor.bench.Contender;
import petrichor.bench.Contest;
import petrichor.bench.FeedRecords;
import petrichor.bench.GrpcCalls;
import petrichor.bench.Sample;
import petrichor.bench.SampleData;
import petrichor.client.ChangeFeedClient;
import petrichor.client.DatabaseName;
import petrichor.client.FeedCommits;
import petrichor.client.FeedSelection;

/** The change feed of a server: how fast a consumer reads, and what it costs the writers. */
final class FeedBench {
    private static final double CONSUMED_MIN = 0.7;
    private static final double COST_MAX = 0.02;
    private static final String NO_CONSUMER = "no consumer";
    private static final String CONSUMER = "one consumer";
    private static final String COMMITS = "commits meanwhile";
    private static final Duration RETRY = Duration.ofSeconds(10);
    private static final Duration CAUGHT_UP_WITHIN = Duration.ofMinutes(2);

    private final MovementRun run;
    private final MovementServer server;
    private final List<Sample> followed = new ArrayList<>();
    private final List<Sample> committed = new ArrayList<>();

    FeedBench(MovementRun run, MovementServer server) {
        this.run = run;
        this.server = server;
    }

    void measure() throws Exception {
        FeedRecords.measure(run.report(), run.rounds(), run.length(), 1 - COST_MAX, run.progress());
        try (GrpcCalls calls = server.client();
                ChangeFeedClient feed =
                        new ChangeFeedClient(
                                server.uri(), new DatabaseName(SampleData.PROJECT, ""), "", null)) {
            var _ = calls.commit(SampleData.upserts(List.of(SampleData.entity(0, 0))));
            Contest.Outcome outcome =
                    new Contest(
                                    "commits of one entity",
                                    CONSUMER,
                                    List.of(
                                            new Contender(
                                                    NO_CONSUMER,
                                                    l -> writes(calls, l),
                                                    server::cpu),
                                            new Contender(
                                                    CONSUMER,
                                                    l -> consumed(calls, feed, l),
                                                    server::cpu)),
                                    Map.of())
                            .run(run.rounds(), run.length(), run.progress());
            run.report().add(outcome);
            // Those before are rounds of warm-up.
            int from = followed.size() - run.rounds();
            Map<String, List<Sample>> samples = new LinkedHashMap<>();
            samples.put(CONSUMER, followed.subList(from, followed.size()));
            samples.put(COMMITS, committed.subList(from, committed.size()));
            run.add(
                    "commits read by a consumer that follows",
                    CONSUMER,
                    samples,
                    Map.of(COMMITS, CONSUMED_MIN));
            run.add(
                    "commits read from the oldest on, beside the rate without a consumer",
                    CONSUMER,
                    readAgain(feed, outcome),
                    Map.of(NO_CONSUMER, CONSUMED_MIN));
        }
    }

    private Map<String, List<Sample>> readAgain(ChangeFeedClient feed, Contest.Outcome outcome) {
        List<Sample> read = new ArrayList<>();
        for (int round = 0; round <= run.rounds(); round++) {
            run.progress().say("reading all commits");
            Sample sample = readAll(feed);
            if (round > 0) {
                read.add(sample);
            }
        }
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        samples.put(CONSUMER, read);
        samples.put(NO_CONSUMER, outcome.samples().getOrDefault(NO_CONSUMER, List.of()));
        return samples;
    }

    private static Sample readAll(ChangeFeedClient feed) {
        long began = System.nanoTime();
        long count = 0;
        try (FeedCommits commits =
                feed.open(FeedSelection.from(FeedSelection.OLDEST).withoutFollowing(), RETRY)) {
            while (commits.hasNext()) {
                var _ = commits.next();
                count++;
            }
        }
        return Sample.ofRate(count * 1e9 / (System.nanoTime() - began));
    }

    private Sample writes(GrpcCalls calls, Duration length) throws Exception {
        SplittableRandom random = new SplittableRandom();
        SplittableRandom[] each = new SplittableRandom[run.clients()];
        for (int i = 0; i < each.length; i++) {
            each[i] = random.split();
        }
        return ClosedLoop.run(
                run.clients(),
                length,
                (client, number) ->
                        calls.commit(
                                SampleData.upserts(
                                        List.of(
                                                SampleData.entity(
                                                        each[client].nextLong(run.entities()),
                                                        number)))));
    }

    /** Measures what the consumer has read when the writers end, then waits until it has all. */
    private Sample consumed(GrpcCalls calls, ChangeFeedClient feed, Duration length)
            throws Exception {
        AtomicLong read = new AtomicLong();
        AtomicLong position = new AtomicLong();
        long start = feed.newest();
        try (ExecutorService background = Executors.newSingleThreadExecutor();
                FeedCommits commits = feed.open(FeedSelection.from(Long.toString(start)), RETRY)) {
            Future<?> reader =
                    background.submit(
                            () -> {
                                while (!Thread.currentThread().isInterrupted()
                                        && commits.hasNext()) {
                                    position.set(commits.next().position());
                                    read.incrementAndGet();
                                }
                            });
            long began = System.nanoTime();
            Sample sample = writes(calls, length);
            double seconds = (System.nanoTime() - began) / 1e9;
            followed.add(Sample.ofRate(read.get() / seconds));
            committed.add(sample);
            long newest = feed.newest();
            MovementServer.await(
                    "read all commits", CAUGHT_UP_WITHIN, () -> position.get() >= newest);
            if (!reader.cancel(true)) {
                reader.get();
            }
            return sample;
        }
    }
}
