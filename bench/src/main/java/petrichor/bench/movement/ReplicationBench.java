package petrichor.bench.movement;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.LookupRequest;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.bench.ClosedLoop;
import petrichor.bench.GrpcCalls;
import petrichor.bench.Loading;
import petrichor.bench.Sample;
import petrichor.bench.SampleData;
import petrichor.client.ChangeFeedClient;
import petrichor.client.DatabaseName;
import petrichor.client.FeedCommit;
import petrichor.client.FeedCommits;
import petrichor.client.FeedSelection;

/** How far a replica is behind at half load, and when it has a commit, by its size. */
final class ReplicationBench {
    private static final double LAG_SECONDS_MAX = 1;
    private static final Duration RETRY = Duration.ofSeconds(10);
    private static final int ENTITY_BYTES = 400;

    /** Of an entity, besides its payload. */
    private static final int OVERHEAD_BYTES = 200;

    private static final int ROUND_TRIPS = 20;
    private static final int WARM_UP_TRIPS = 3;
    private static final List<Integer> PAYLOADS = List.of(1_000, 10_000, 100_000, 1_000_000);
    private static final String REPLICA = "replica";

    /** Updates in a day, and the price of a gigabyte that leaves, in the seed's experiment. */
    private static final double SEED_UPDATES_PER_DAY = 597_644 / 7.0;

    private static final double SEED_PRICE_PER_GB = 0.12;

    private final MovementRun run;
    private final Replica replica;

    /** Of entities that did not exist before. */
    private final AtomicLong numbers = new AtomicLong(1_000_000_000);

    ReplicationBench(MovementRun run, Replica replica) {
        this.run = run;
        this.replica = replica;
    }

    void measure() throws Exception {
        try (GrpcCalls source = replica.source().client();
                GrpcCalls target = replica.target().client()) {
            run.progress().say("loading entities");
            Loading.load(source, run.entities());
            replica.start();
            lags(source);
            costs();
            Map<String, List<Sample>> trips = new LinkedHashMap<>();
            for (int bytes : PAYLOADS) {
                run.progress().say("round trips of " + bytes + " bytes");
                trips.put(
                        String.format(Locale.ROOT, "%,d bytes", bytes),
                        List.of(roundTrips(source, target, bytes)));
            }
            run.add(
                    "commit until the replica returns the entity, by payload",
                    trips.keySet().iterator().next(),
                    trips,
                    Map.of());
            double first = trips.values().iterator().next().getFirst().p50Micros();
            double last = List.copyOf(trips.values()).getLast().getFirst().p50Micros();
            run.figure(
                    "time of 1,000 times the payload, over that of 1,000 bytes",
                    last / first,
                    "times",
                    "below 1,000 (seed 000: not linear either)",
                    last / first < 1_000);
        }
    }

    private void lags(GrpcCalls source) throws Exception {
        run.progress().say("highest rate of commits");
        var _ = writes(source, run.length(), 0);
        double rate = writes(source, run.length(), 0).perSecond() * run.load();
        replica.awaitEqual();
        List<Sample> lags = new ArrayList<>();
        for (int round = 1; round <= run.rounds(); round++) {
            run.progress().say("lag, round " + round + " of " + run.rounds());
            lags.add(lag(source, rate));
        }
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        samples.put(REPLICA, lags);
        run.add(
                String.format(
                        Locale.ROOT,
                        "commits at the replica, behind their requests, at %.0f/s",
                        rate),
                REPLICA,
                samples,
                Map.of());
        double worst = lags.stream().mapToDouble(Sample::p99Micros).max().orElse(Double.NaN) / 1e6;
        run.figure(
                "worst p99 of the lag of a round, at " + run.load() + " of the highest rate",
                worst,
                "s",
                "at most 1 s",
                worst <= LAG_SECONDS_MAX);
    }

    private Sample writes(GrpcCalls source, Duration length, double perSecondMax) throws Exception {
        SplittableRandom[] random = new SplittableRandom[run.clients()];
        for (int i = 0; i < random.length; i++) {
            random[i] = new SplittableRandom(i);
        }
        return ClosedLoop.run(
                run.clients(),
                length,
                perSecondMax,
                (client, _) -> {
                    Entity entity =
                            Sized.entity(
                                    "",
                                    random[client].nextLong(run.entities()),
                                    ENTITY_BYTES,
                                    epochMicros());
                    var _ = source.commit(SampleData.upserts(List.of(entity)));
                });
    }

    private static long epochMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    /** From the request of a client until a consumer at the replica has the commit. */
    private Sample lag(GrpcCalls source, double rate) throws Exception {
        Latencies behind = new Latencies();
        AtomicLong seen = new AtomicLong();
        try (ChangeFeedClient feed =
                        new ChangeFeedClient(
                                replica.target().uri(),
                                new DatabaseName(SampleData.PROJECT, ""),
                                "",
                                null);
                ExecutorService background = Executors.newSingleThreadExecutor();
                FeedCommits commits =
                        feed.open(
                                FeedSelection.from(Long.toString(feed.newest()))
                                        .withKind(Sized.KIND),
                                RETRY)) {
            Future<?> reader = background.submit(() -> follow(commits, behind, seen));
            long began = System.nanoTime();
            Sample written = writes(source, run.length(), rate);
            double seconds = (System.nanoTime() - began) / 1e9;
            long expected = Math.round(written.perSecond() * seconds);
            MovementServer.await(
                    "the replica has all commits", MovementRun.LONG, () -> seen.get() >= expected);
            if (!reader.cancel(true)) {
                reader.get();
            }
            return new Sample(
                    written.perSecond(), behind.micros(0.5), behind.micros(0.99), Double.NaN);
        }
    }

    private static void follow(FeedCommits commits, Latencies behind, AtomicLong seen) {
        while (!Thread.currentThread().isInterrupted() && commits.hasNext()) {
            long now = epochMicros();
            for (FeedCommit.Change change : commits.next().changes()) {
                Entity after = change.after();
                if (after != null) {
                    behind.add(
                            (now - after.getPropertiesOrThrow(Sized.REVISION).getIntegerValue())
                                    * 1_000);
                    seen.incrementAndGet();
                }
            }
        }
    }

    /** What a day of the seed's updates costs to send. Prices are those of its time. */
    private void costs() {
        JsonObject status = replica.status();
        double sent = status.get("sentBytes").getAsDouble();
        double commits = status.get("commits").getAsDouble();
        double perCommit = sent / commits;
        run.figure(
                "compressed bytes sent per commit of an entity of "
                        + ENTITY_BYTES
                        + " random bytes",
                perCommit,
                "bytes",
                "none",
                true);
        run.figure(
                "price of sending the seed's 85,378 updates of a day at 0.12 USD per GB",
                perCommit * SEED_UPDATES_PER_DAY / 1e9 * SEED_PRICE_PER_GB,
                "USD",
                "below 2.55 (seed 000: bandwidth, for larger updates)",
                true);
    }

    private Sample roundTrips(GrpcCalls source, GrpcCalls target, int bytes) {
        Latencies trips = new Latencies();
        for (int i = 0; i < ROUND_TRIPS + WARM_UP_TRIPS; i++) {
            Entity entity = Sized.entity("", numbers.incrementAndGet(), bytes - OVERHEAD_BYTES, 0);
            LookupRequest lookup = SampleData.lookup(List.of(entity.getKey()));
            long began = System.nanoTime();
            var _ = source.commit(SampleData.upserts(List.of(entity)));
            while (target.lookup(lookup).getFoundCount() == 0) {
                Thread.onSpinWait();
            }
            if (i >= WARM_UP_TRIPS) {
                trips.add(System.nanoTime() - began);
            }
        }
        return trips.ofOneClient(Double.NaN);
    }
}
