package petrichor.bench.movement;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.gson.JsonObject;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import petrichor.bench.GrpcCalls;
import petrichor.bench.SampleData;
import petrichor.client.ChangeFeedClient;
import petrichor.client.DatabaseName;
import petrichor.client.FeedCommit;
import petrichor.client.FeedCommits;
import petrichor.client.FeedSelection;
import petrichor.testing.process.Pause;

/**
 * The seven days of seed 000, section 6.3.1, in less time: clients write to a database whose
 * replica is behind a faulty link, and both servers are killed now and then. Afterwards both
 * databases are compared, and what the replica's change feed has reported.
 */
final class FaultyWeek {
    private static final long SEED = 6_3_1;
    private static final long UPDATES = 597_644;
    private static final double RATE_MAX = 200;
    private static final int FAULTS_MAX = 28;
    private static final Duration FAULT_EVERY_MIN = Duration.ofSeconds(5);
    private static final int ENTITIES = 2_000;
    private static final int ENTITY_BYTES = 100;
    private static final int WRITERS = 4;
    private static final double CONVERGED_SECONDS_MAX = 60;
    private static final Duration RETRY_PAUSE = Duration.ofMillis(200);

    /** Faults of one kind follow those of another. */
    private enum Fault {
        LINK_CUT,
        ANSWERS_LOST,
        REPLICA_KILLED,
        SOURCE_KILLED
    }

    private final MovementRun run;
    private final Replica replica;
    private final FaultyLink link;
    private final Duration week;
    private final AtomicLong revisions = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();

    /** The newest acknowledged revision of each entity; each has one writer. */
    private final Map<Long, Long> acknowledged = new ConcurrentHashMap<>();

    private final AtomicLong written = new AtomicLong();

    /** The revisions that the feed of the replica has reported. */
    private final Set<Long> seen = ConcurrentHashMap.newKeySet();

    private final AtomicLong appliedTwice = new AtomicLong();

    FaultyWeek(MovementRun run, Replica replica, FaultyLink link, Duration week) {
        this.run = run;
        this.replica = replica;
        this.link = link;
        this.week = week;
    }

    void measure() throws Exception {
        double rate = Math.min(RATE_MAX, UPDATES * 1e9 / week.toNanos());
        try (GrpcCalls source = replica.source().client();
                GrpcCalls target = replica.target().client()) {
            var _ = source.commit(SampleData.upserts(List.of(SampleData.entity(0, 0))));
            replica.start();
            AtomicBoolean running = new AtomicBoolean(true);
            try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS + 1)) {
                Future<?> watcher = threads.submit(this::watch);
                List<Future<?>> writers = new ArrayList<>();
                for (int i = 0; i < WRITERS; i++) {
                    int self = i;
                    writers.add(threads.submit(() -> write(source, self, rate, running)));
                }
                int faults = 0;
                try {
                    faults = faults();
                } finally {
                    running.set(false);
                }
                for (Future<?> writer : writers) {
                    writer.get();
                }
                run.progress().say("waiting for the replica");
                long began = System.nanoTime();
                replica.awaitEqual();
                double seconds = (System.nanoTime() - began) / 1e9;
                long newest =
                        acknowledged.values().stream()
                                .mapToLong(Long::longValue)
                                .max()
                                .orElseThrow();
                MovementServer.await(
                        "the feed of the replica has all",
                        MovementRun.LONG,
                        () -> seen.contains(newest));
                if (!watcher.cancel(true)) {
                    watcher.get();
                }
                report(source, target, faults, seconds);
            }
        }
    }

    /** Faults at random times, for random times; returns their number. */
    private int faults() throws InterruptedException {
        SplittableRandom random = new SplittableRandom(SEED);
        int count =
                Math.clamp(
                        week.toNanos() / FAULT_EVERY_MIN.toNanos(),
                        Fault.values().length,
                        FAULTS_MAX);
        Duration each = week.dividedBy(count);
        for (int i = 0; i < count; i++) {
            long end = System.nanoTime() + each.toNanos();
            Fault fault = Fault.values()[i % Fault.values().length];
            run.progress().say("fault " + (i + 1) + " of " + count + ": " + fault);
            pause(each, random.nextDouble(0.1, 0.4));
            begin(fault);
            pause(each, random.nextDouble(0.1, 0.5));
            end(fault);
            long rest = end - System.nanoTime();
            if (rest > 0) {
                Pause.of(Duration.ofNanos(rest));
            }
        }
        return count;
    }

    private static void pause(Duration each, double part) {
        Pause.of(Duration.ofNanos((long) (each.toNanos() * part)));
    }

    private void begin(Fault fault) {
        switch (fault) {
            case LINK_CUT -> link.set(FaultyLink.State.CUT);
            case ANSWERS_LOST -> link.set(FaultyLink.State.LOSES_ANSWERS);
            case REPLICA_KILLED -> replica.target().kill();
            case SOURCE_KILLED -> replica.source().kill();
        }
    }

    private void end(Fault fault) {
        switch (fault) {
            case LINK_CUT, ANSWERS_LOST -> link.set(FaultyLink.State.WORKS);
            case REPLICA_KILLED -> replica.target().startAgain();
            case SOURCE_KILLED -> replica.source().startAgain();
        }
    }

    /** Writes its part of the entities; a write that fails is not repeated. */
    private void write(GrpcCalls source, int self, double rate, AtomicBoolean running) {
        SplittableRandom random = new SplittableRandom(self);
        double paceNanos = WRITERS * 1e9 / rate;
        double due = System.nanoTime();
        while (running.get()) {
            long number = random.nextLong(ENTITIES / WRITERS) * WRITERS + self;
            long revision = revisions.incrementAndGet();
            Entity entity = Sized.entity("", number, ENTITY_BYTES, revision);
            try {
                var _ = source.commit(SampleData.upserts(List.of(entity)));
                acknowledged.put(number, revision);
                written.incrementAndGet();
            } catch (StatusRuntimeException unreachable) {
                failed.incrementAndGet();
                Pause.of(RETRY_PAUSE);
            }
            due = Math.max(due + paceNanos, System.nanoTime() - paceNanos);
            long early = (long) due - System.nanoTime();
            if (early > 0) {
                LockSupport.parkNanos(early);
            }
        }
    }

    /** Every revision is unique, so one that occurs again was applied twice. */
    private void watch() {
        try (ChangeFeedClient feed =
                        new ChangeFeedClient(
                                replica.target().uri(),
                                new DatabaseName(SampleData.PROJECT, ""),
                                "",
                                null);
                FeedCommits commits =
                        feed.open(
                                FeedSelection.from(FeedSelection.NEWEST).withKind(Sized.KIND),
                                MovementRun.LONG)) {
            while (!Thread.currentThread().isInterrupted() && commits.hasNext()) {
                for (FeedCommit.Change change : commits.next().changes()) {
                    Entity after = change.after();
                    if (after != null && !seen.add(revision(after))) {
                        appliedTwice.incrementAndGet();
                    }
                }
            }
        }
    }

    private static long revision(Entity entity) {
        return entity.getPropertiesOrThrow(Sized.REVISION).getIntegerValue();
    }

    private void report(GrpcCalls source, GrpcCalls target, int faults, double seconds) {
        long lost = 0;
        long different = 0;
        for (Map.Entry<Long, Long> one : acknowledged.entrySet()) {
            LookupRequest lookup = SampleData.lookup(List.of(Sized.key("", one.getKey())));
            LookupResponse here = source.lookup(lookup);
            LookupResponse there = target.lookup(lookup);
            if (there.getFoundCount() == 0
                    || revision(there.getFound(0).getEntity()) < one.getValue()) {
                lost++;
            }
            if (here.getFoundCount() != there.getFoundCount()
                    || (here.getFoundCount() == 1
                            && !here.getFound(0)
                                    .getEntity()
                                    .equals(there.getFound(0).getEntity()))) {
                different++;
            }
        }
        JsonObject status = replica.status();
        String of = ", of " + acknowledged.size();
        zero(
                "entities of which the replica lacks an acknowledged update" + of,
                lost,
                "0 (seed 000: 0)");
        zero("entities that differ between source and replica" + of, different, "0");
        zero(
                "updates that the replica applied twice, of " + seen.size(),
                appliedTwice.get(),
                "0 (seed 000: 11,679 of 597,644)");
        run.figure(
                "commits sent again, of " + status.get("commits").getAsLong() + ", and not applied",
                status.get("duplicates").getAsDouble(),
                "",
                "none (seed 000: 1.95 %)",
                true);
        run.figure(
                "until the replica was equal, after the last write",
                seconds,
                "s",
                "at most 60 s",
                seconds <= CONVERGED_SECONDS_MAX);
        run.report()
                .note(
                        String.format(
                                Locale.ROOT,
                                "a week in %d s: %d faults (link cut, answers lost, replica and"
                                    + " source killed with SIGKILL), %,d acknowledged updates of"
                                    + " %,d entities, %,d that failed",
                                week.toSeconds(),
                                faults,
                                written.get(),
                                acknowledged.size(),
                                failed.get()));
    }

    private void zero(String name, long value, String target) {
        run.figure(name, (double) value, "", target, value == 0);
    }
}
