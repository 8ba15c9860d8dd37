package petrichor.transactions.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.transactions.databases.Rows.bytes;

import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitResult;
import petrichor.transactions.RowWrite;
import petrichor.transactions.WriteGate;
import petrichor.transactions.databases.Rows;
import petrichor.transactions.rows.ReadsAt;
import petrichor.transactions.rows.StoredWrites;

/** Decisions of the sequencer, without threads, clocks or stores. */
class SequencerTest {
    private static final StoredWrites NOTHING_STORED = (_, _) -> 0;

    @Test
    void versionsGrowInABatchAndWhenTheClockJumpsBack() {
        Sequencer sequencer = new Sequencer(1, 1_000, 1 << 20);
        List<Long> first = versions(sequencer, 5_000, put(1_000, "a"), put(1_000, "b"));
        List<Long> second = versions(sequencer, 5_000, put(5_001, "c"));
        List<Long> third = versions(sequencer, 10, put(5_002, "d"));
        assertThat(first).containsExactly(5_000L, 5_001L);
        assertThat(second).containsExactly(5_002L);
        assertThat(third).containsExactly(5_003L);
    }

    @Test
    void versionsStartAboveTheRecoveredAndPromisedOnes() {
        Sequencer sequencer = new Sequencer(1, 9_000, 1 << 20);
        assertThat(versions(sequencer, 5, put(9_000, "a"))).containsExactly(9_001L);
        sequencer.promise(20_000);
        assertThat(versions(sequencer, 5, put(20_000, "b"))).containsExactly(20_001L);
        sequencer.recovered(30_000);
        assertThat(versions(sequencer, 5, put(30_000, "c"))).containsExactly(30_001L);
    }

    @Test
    void theFirstOfTwoConflictingCommitsInABatchWins() {
        Sequencer sequencer = new Sequencer(1, 1_000, 1 << 20);
        Sequencer.Plan plan =
                sequencer.plan(List.of(put(1_000, "a"), put(1_000, "a")), 2_000, NOTHING_STORED);
        assertThat(plan.results().get(0)).isInstanceOf(CommitResult.Committed.class);
        assertThat(plan.results().get(1)).isInstanceOf(CommitResult.Conflict.class);
    }

    @Test
    void aScanConflictsWithAnInsertOfTheSameBatch() {
        Sequencer sequencer = new Sequencer(1, 1_000, 1 << 20);
        CommitIntent scanner =
                new CommitIntent(
                        List.of(new ReadsAt(1_000, List.of(), List.of(Rows.range("a", "b")))),
                        1_000,
                        List.of(),
                        List.of(new RowWrite(bytes("x"), bytes("1"), null)));
        Sequencer.Plan plan =
                sequencer.plan(List.of(put(1_000, "a1"), scanner), 2_000, NOTHING_STORED);
        assertThat(plan.results().get(1)).isInstanceOf(CommitResult.Conflict.class);
    }

    @Test
    void aRowWrittenTwiceIsAConflictEvenIfItIsNoConflictKey() {
        Sequencer sequencer = new Sequencer(1, 1_000, 1 << 20);
        CommitIntent careless =
                new CommitIntent(
                        List.of(),
                        1_000,
                        List.of(),
                        List.of(new RowWrite(bytes("a"), bytes("1"), null)));
        Sequencer.Plan plan =
                sequencer.plan(List.of(put(1_000, "a"), careless), 2_000, NOTHING_STORED);
        assertThat(plan.results().get(1)).isInstanceOf(CommitResult.Conflict.class);
    }

    @Test
    void writesInFlightStayInTheSmallestWindow() {
        Sequencer sequencer = new Sequencer(1, 1_000, 1);
        Sequencer.Plan plan =
                sequencer.plan(
                        List.of(put(1_000, "a"), put(1_000, "b"), put(1_000, "a")),
                        2_000,
                        NOTHING_STORED);
        assertThat(plan.results().get(2)).isInstanceOf(CommitResult.Conflict.class);
    }

    /** Otherwise a database in which every commit reads a range would stall permanently. */
    @Test
    void aRangeReadAtTheNewestVersionAfterAFailedStepMayCommit() {
        Sequencer sequencer = new Sequencer(1, 1_000, 1 << 20);
        sequencer.plan(List.of(put(1_000, "a")), 2_000, NOTHING_STORED);
        sequencer.recovered(1_000);
        CommitIntent scanner =
                new CommitIntent(
                        List.of(new ReadsAt(1_000, List.of(), List.of(Rows.range("a", "b")))),
                        1_000,
                        List.of(),
                        List.of(new RowWrite(bytes("x"), bytes("1"), null)));
        assertThat(versions(sequencer, 10, scanner)).containsExactly(2_001L);
    }

    @Test
    void afterAFailedStepOldReadersAreValidatedByTheStore() {
        Sequencer sequencer = new Sequencer(1, 1_000, 1 << 20);
        sequencer.recovered(5_000);
        Sequencer.Plan plan = sequencer.plan(List.of(put(1_000, "a")), 6_000, (_, _) -> 4_000);
        assertThat(plan.results().getFirst()).isInstanceOf(CommitResult.Conflict.class);
    }

    @Test
    void aReadVersionInTheFutureIsRefused() {
        Sequencer sequencer = new Sequencer(1, 1_000, 1 << 20);
        Sequencer.Plan plan = sequencer.plan(List.of(put(9_000, "a")), 2_000, NOTHING_STORED);
        assertThat(plan.results().getFirst()).isInstanceOf(CommitResult.Refused.class);
    }

    /** In the same group: a commit after the one that closes the gate is not acknowledged. */
    @Test
    void aGateClosesInCommitOrderAndIsReadAgainAfterAFailedStep() {
        Sequencer sequencer = new Sequencer(1, 1_000, 1 << 20);
        byte[] closed = new WriteGate(List.of(), "closed", new byte[0]).encode();
        CommitIntent closing =
                new CommitIntent(
                        List.of(),
                        1_000,
                        List.of(WriteGate.row()),
                        List.of(new RowWrite(WriteGate.row(), closed, null)));
        List<CommitIntent> group = List.of(put(1_000, "a"), closing, put(1_000, "b"));
        assertThat(sequencer.plan(group, 2_000, NOTHING_STORED).results())
                .extracting(Object::getClass)
                .containsExactly(
                        CommitResult.Committed.class,
                        CommitResult.Committed.class,
                        CommitResult.Refused.class);
        // The step failed, so the gate never closed.
        sequencer.recovered(1_000);
        assertThat(versions(sequencer, 3_000, put(1_000, "b"))).hasSize(1);
    }

    /** Compares the window with the simplest implementation of the same queries. */
    @Test
    void theWindowAnswersAsAListOfAllWritesWould() {
        long seed = Long.getLong("seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 200; round++) {
            ConflictWindow window = new ConflictWindow(20_000, 0);
            TreeMap<byte[], Long> all = new TreeMap<>(Bytes::compare);
            for (long version = 1; version < 300; version++) {
                byte[] key = key(random);
                window.add(key, version);
                all.put(key, version);
                if (random.nextInt(10) == 0) {
                    window.trim();
                }
                long since = random.nextLong(version + 1);
                if (since < window.floor()) {
                    continue;
                }
                byte[] asked = key(random);
                Long written = all.get(asked);
                assertThat(window.after(since, asked) != null)
                        .as("seed " + seed)
                        .isEqualTo(written != null && written > since);
                byte[] other = key(random);
                KeyRange range =
                        Bytes.compare(asked, other) <= 0
                                ? new KeyRange(asked, other)
                                : new KeyRange(other, random.nextBoolean() ? asked : null);
                boolean expected =
                        all.entrySet().stream()
                                .anyMatch(e -> e.getValue() > since && range.contains(e.getKey()));
                assertThat(window.after(since, range) != null)
                        .as("seed " + seed + " range " + range)
                        .isEqualTo(expected);
            }
        }
    }

    private static byte[] key(SplittableRandom random) {
        return bytes("k" + random.nextInt(200));
    }

    private static CommitIntent put(long base, String key) {
        return new CommitIntent(
                List.of(new ReadsAt(base, List.of(), List.of())),
                base,
                List.of(bytes(key)),
                List.of(new RowWrite(bytes(key), bytes("1"), null)));
    }

    private static List<Long> versions(Sequencer sequencer, long now, CommitIntent... intents) {
        return sequencer.plan(List.of(intents), now, NOTHING_STORED).results().stream()
                .map(result -> ((CommitResult.Committed) result).version())
                .toList();
    }
}
