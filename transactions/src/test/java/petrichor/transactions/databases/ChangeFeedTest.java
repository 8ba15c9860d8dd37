package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.text;
import static petrichor.transactions.databases.Rows.write;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.PetrichorException;
import petrichor.kv.WriteBatch;
import petrichor.transactions.ChangeConsumer;
import petrichor.transactions.ChangeFeed;
import petrichor.transactions.ChangedCommit;
import petrichor.transactions.Changes;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.rows.TableLayout;

/** The change feed of a database on every kind of store. */
class ChangeFeedTest {
    private static final long MANY_BYTES = 1 << 20;
    private static final long HOUR_MICROS = 3_600_000_000L;

    @ParameterizedTest
    @EnumSource
    void everyCommitAppearsOnceCompleteAndInOrder(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            Random random = new Random(5);
            List<String> expected = new ArrayList<>();
            Map<String, String> rows = new TreeMap<>();
            for (int i = 0; i < 300; i++) {
                expected.add(commitAtRandom(bench.database(), random, rows, i));
                if (random.nextInt(50) == 0) {
                    bench.reopen();
                }
                bench.time().advanceMicros(random.nextInt(3));
            }
            assertThat(readAll(bench.database().changes(), 0, random)).isEqualTo(expected);
        }
    }

    /** Changes one to three rows; returns what the feed must show. */
    private static String commitAtRandom(
            Database database, Random random, Map<String, String> rows, int number) {
        List<byte[]> keys = new ArrayList<>();
        List<RowWrite> writes = new ArrayList<>();
        Map<String, String> shown = new TreeMap<>();
        try (Snapshot snapshot = database.snapshot()) {
            for (int i = random.nextInt(3); i >= 0; i--) {
                String key = (char) ('a' + i) + "" + random.nextInt(4);
                String value = random.nextInt(3) == 0 ? null : "v" + number;
                String before = rows.get(key);
                keys.add(bytes(key));
                writes.add(write(snapshot, key, value));
                if (before != null || value != null) {
                    shown.put(key, before + ">" + value);
                }
                if (value == null) {
                    rows.remove(key);
                } else {
                    rows.put(key, value);
                }
            }
            // A row that is a function of the others.
            writes.add(write(snapshot, "index", "i" + number));
            return committed(
                            database.commit(
                                    new CommitRequest(
                                            snapshot.version(),
                                            List.of(),
                                            List.of(),
                                            keys,
                                            writes)))
                    + " "
                    + shown;
        }
    }

    private static List<String> readAll(ChangeFeed feed, long from, Random random) {
        List<String> read = new ArrayList<>();
        long position = from;
        while (position < feed.newest()) {
            Changes part = feed.after(position, 1 + random.nextInt(20), 1 + random.nextInt(200));
            assertThat(part.position()).isGreaterThan(position);
            part.commits().forEach(commit -> read.add(shown(commit)));
            position = part.position();
        }
        return read;
    }

    private static String shown(ChangedCommit commit) {
        Map<String, String> rows = new TreeMap<>();
        commit.rows()
                .forEach(
                        row ->
                                rows.put(
                                        new String(row.key(), StandardCharsets.UTF_8),
                                        text(row.before()) + ">" + text(row.after())));
        return commit.version() + " " + rows;
    }

    @ParameterizedTest
    @EnumSource
    void readerThatFollowsSeesTheCommitsOfConcurrentWriters(TestStore kind) throws Exception {
        try (TestBench bench = TestBench.withRealTime(kind)) {
            Database database = bench.database();
            ChangeFeed feed = database.changes();
            int writers = 4;
            int each = 100;
            List<CompletableFuture<List<String>>> written = new ArrayList<>();
            for (int writer = 0; writer < writers; writer++) {
                String key = "k" + writer;
                CompletableFuture<List<String>> done = new CompletableFuture<>();
                written.add(done);
                Thread.ofVirtual().start(() -> done.complete(writeOften(database, key, each)));
            }
            List<String> read = new ArrayList<>();
            long position = 0;
            while (read.size() < writers * each) {
                feed.beyond(position).get(60, TimeUnit.SECONDS);
                // Ends in the middle of steps that have several commits.
                Changes part = feed.after(position, 3, MANY_BYTES);
                part.commits().forEach(commit -> read.add(shown(commit)));
                position = part.position();
            }
            List<String> expected = new ArrayList<>();
            for (CompletableFuture<List<String>> one : written) {
                expected.addAll(one.get(60, TimeUnit.SECONDS));
            }
            assertThat(read).isSorted().containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    private static List<String> writeOften(Database database, String key, int times) {
        List<String> written = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            String before = i == 0 ? "null" : "v" + (i - 1);
            long version = committed(put(database, key, "v" + i));
            written.add(version + " {" + key + "=" + before + ">v" + i + "}");
        }
        return written;
    }

    /** The step is in the store, at a version below later ones, but its outcome is not known. */
    @Test
    void undecidedCommitIsNotShown() throws Exception {
        FaultyStore store = new FaultyStore(petrichor.kv.memory.MemoryStore.open());
        TestTime time = new TestTime();
        try (RowDatabases databases =
                new RowDatabases(
                        store,
                        TransactionLimits.DEFAULT,
                        time,
                        new java.util.SplittableRandom(3))) {
            RowDatabase database = databases.open("test");
            long first = committed(put(database, "a", "1"));
            CompletableFuture<Changes> meanwhile = new CompletableFuture<>();
            store.fault = FaultyStore.Fault.WRITTEN_BUT_UNKNOWN;
            store.meanwhile = () -> meanwhile.complete(database.changes().after(0, 10, MANY_BYTES));
            long second = committed(put(database, "a", "2"));
            store.fault = FaultyStore.Fault.NOT_WRITTEN_AND_UNKNOWN;
            assertThat(put(database, "a", "3").join()).isInstanceOf(CommitResult.Refused.class);
            long fourth = committed(put(database, "a", "4"));

            assertThat(versions(meanwhile.get(60, TimeUnit.SECONDS))).containsExactly(first);
            assertThat(meanwhile.join().position()).isEqualTo(first);
            assertThat(versions(database.changes().after(0, 10, MANY_BYTES)))
                    .containsExactly(first, second, fourth);
        }
    }

    private static List<Long> versions(Changes changes) {
        return changes.commits().stream().map(ChangedCommit::version).toList();
    }

    @ParameterizedTest
    @EnumSource
    void positionOlderThanTheRetentionIsRefused(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            RowDatabase database = bench.database();
            long first = committed(put(database, "a", "1"));
            long second = committed(put(database, "a", "2"));
            bench.time().advanceMicros(3 * HOUR_MICROS);
            long third = committed(put(database, "a", "3"));
            database.tidy();

            assertGone(database, 0);
            assertGone(database, first);
            long oldest = database.changes().oldest();
            assertThat(oldest).isEqualTo(second);
            assertThat(versions(database.changes().after(oldest, 10, MANY_BYTES)))
                    .containsExactly(third);
            assertThat(bench.historyRows()).isEqualTo(1);
        }
    }

    /** Nothing that it has not read was removed. */
    @ParameterizedTest
    @EnumSource
    void readerOfAnIdleDatabaseKeepsItsPosition(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            long first = committed(put(bench.database(), "a", "1"));
            long second = committed(put(bench.database(), "a", "2"));
            for (int day = 0; day < 3; day++) {
                bench.time().advanceMicros(24 * HOUR_MICROS);
                bench.database().tidy();
                bench.reopen();
            }
            assertThat(bench.historyRows()).isZero();
            ChangeFeed feed = bench.database().changes();
            assertThat(feed.after(second, 10, MANY_BYTES).commits()).isEmpty();
            assertThat(feed.oldest()).isEqualTo(second);
            assertGone(bench.database(), first);
            feed.moveConsumer("idle", second);
            long third = committed(put(bench.database(), "a", "3"));
            assertThat(versions(feed.after(second, 10, MANY_BYTES))).containsExactly(third);
        }
    }

    /** Steps of an older version lie between the position and what was removed. */
    @Test
    void removalDoesNotHideAMissingRecord() {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITH_VIEWS)) {
            long first = committed(put(bench.database(), "a", "1"));
            long second = committed(put(bench.database(), "a", "2"));
            TableLayout layout = new TableLayout(bench.database().number());
            bench.store()
                    .write(new WriteBatch().delete(TableLayout.META, layout.changeKey(second, 0)));
            bench.reopen();
            bench.time().advanceMicros(3 * HOUR_MICROS);
            bench.database().tidy();
            assertGone(bench.database(), first);
            assertThat(bench.database().changes().after(second, 10, MANY_BYTES).commits())
                    .isEmpty();
        }
    }

    @Test
    void keyThatACommitDoesNotWriteIsNotShown() {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITH_VIEWS)) {
            long first = committed(put(bench.database(), "a", "1"));
            long second =
                    committed(
                            bench.database()
                                    .commit(
                                            new CommitRequest(
                                                    first,
                                                    List.of(),
                                                    List.of(),
                                                    List.of(bytes("b"), bytes("a")),
                                                    List.of(
                                                            new RowWrite(
                                                                    bytes("b"),
                                                                    bytes("2"),
                                                                    null)))));
            Changes changes = bench.database().changes().after(first, 10, MANY_BYTES);
            assertThat(changes.commits())
                    .extracting(ChangeFeedTest::shown)
                    .containsExactly(second + " {b=null>2}");
        }
    }

    private static void assertGone(RowDatabase database, long position) {
        assertThatThrownBy(() -> database.changes().after(position, 10, MANY_BYTES))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("no longer kept; the oldest position is");
    }

    @Test
    void futurePositionIsRefused() {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITH_VIEWS)) {
            ChangeFeed feed = bench.database().changes();
            long far = bench.time().epochMicros() + HOUR_MICROS;
            assertThatThrownBy(() -> feed.after(far, 10, MANY_BYTES))
                    .hasMessageContaining("is in the future");
            assertThatThrownBy(() -> feed.after(-1, 10, MANY_BYTES))
                    .hasMessageContaining("is in the future");
        }
    }

    @ParameterizedTest
    @EnumSource
    void consumerHoldsBackTheRemovalOfHistoryUpToTheLimit(TestStore kind) {
        TransactionLimits limits = TransactionLimits.DEFAULT.withConsumerHold(Duration.ofHours(10));
        try (TestBench bench = TestBench.open(kind, limits)) {
            long first = committed(put(bench.database(), "a", "1"));
            bench.database().changes().moveConsumer("copy", first);
            long second = committed(put(bench.database(), "a", "2"));
            bench.time().advanceMicros(5 * HOUR_MICROS);
            bench.reopen();
            long third = committed(put(bench.database(), "a", "3"));
            bench.database().tidy();

            ChangeFeed feed = bench.database().changes();
            assertThat(feed.consumers())
                    .extracting(ChangeConsumer::name, ChangeConsumer::position)
                    .containsExactly(org.assertj.core.groups.Tuple.tuple("copy", first));
            Changes held = feed.after(first, 10, MANY_BYTES);
            assertThat(versions(held)).containsExactly(second, third);
            assertThat(shown(held.commits().getFirst())).endsWith("{a=1>2}");

            bench.time().advanceMicros(6 * HOUR_MICROS);
            bench.database().tidy();
            assertGone(bench.database(), first);
            // The consumer is listed with the position that it has lost.
            assertThat(feed.consumers()).hasSize(1);
            assertThat(feed.oldest()).isGreaterThan(first);
        }
    }

    @Test
    void historyIsRemovedOnceTheConsumerHasMovedOn() {
        try (TestBench bench = TestBench.open(TestStore.ROCKSDB)) {
            RowDatabase database = bench.database();
            long first = committed(put(database, "a", "1"));
            database.changes().moveConsumer("copy", first);
            committed(put(database, "a", "2"));
            bench.time().advanceMicros(3 * HOUR_MICROS);
            database.tidy();
            assertThat(bench.historyRows()).isEqualTo(1);
            database.changes().moveConsumer("copy", bench.time().epochMicros());
            database.tidy();
            assertThat(bench.historyRows()).isZero();
            assertThatThrownBy(() -> database.changes().moveConsumer("copy", first))
                    .hasMessageContaining("no longer kept");
            database.changes().deleteConsumer("copy");
            assertThat(database.changes().consumers()).isEmpty();
            assertThatThrownBy(() -> database.changes().deleteConsumer("copy"))
                    .hasMessageContaining("has no consumer copy");
        }
    }

    @Test
    void consumerNamesAndNumbersAreLimited() {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITH_VIEWS)) {
            ChangeFeed feed = bench.database().changes();
            for (String name : List.of("", "a/b", "x".repeat(101), "ä")) {
                assertThatThrownBy(() -> feed.moveConsumer(name, 0))
                        .hasMessageContaining("1 to 100 letters");
            }
            for (int i = 0; i < ChangeConsumer.CONSUMERS_MAX; i++) {
                feed.moveConsumer("c" + i, 0);
            }
            feed.moveConsumer("c7", 0);
            assertThatThrownBy(() -> feed.moveConsumer("more", 0))
                    .hasMessageContaining("the maximum");
        }
    }

    /** As after a server of an older version has owned the database. */
    @ParameterizedTest
    @EnumSource(names = {"MEMORY_WITH_VIEWS", "ROCKSDB"})
    void missingRecordIsAnErrorAndNeverAGap(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            long first = committed(put(bench.database(), "a", "1"));
            long second = committed(put(bench.database(), "a", "2"));
            TableLayout layout = new TableLayout(bench.database().number());
            bench.store()
                    .write(new WriteBatch().delete(TableLayout.META, layout.changeKey(second, 0)));
            bench.reopen();
            // Nothing was written since: no later record shows that one is missing.
            assertGone(bench.database(), first);
            assertThat(bench.database().changes().oldest()).isEqualTo(second);
            long third = committed(put(bench.database(), "a", "3"));
            bench.reopen();
            assertThat(versions(bench.database().changes().after(0, 10, MANY_BYTES)))
                    .containsExactly(first);
            assertGone(bench.database(), first);
            assertThat(versions(bench.database().changes().after(second, 10, MANY_BYTES)))
                    .containsExactly(third);
        }
    }

    /** A record of three megabytes, which has several parts. */
    @ParameterizedTest
    @EnumSource
    void commitWithManyLongKeysIsComplete(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            List<byte[]> keys = new ArrayList<>();
            List<RowWrite> writes = new ArrayList<>();
            Random random = new Random(9);
            for (int i = 0; i < 2_000; i++) {
                byte[] key = new byte[1_500];
                random.nextBytes(key);
                keys.add(key);
                writes.add(new RowWrite(key, bytes("v" + i), null));
            }
            long first = committed(put(bench.database(), "a", "1"));
            long version =
                    committed(
                            bench.database()
                                    .commit(
                                            new CommitRequest(
                                                    first, List.of(), List.of(), keys, writes)));
            long last = committed(put(bench.database(), "a", "2"));
            Changes all = bench.database().changes().after(0, 10, MANY_BYTES << 4);
            assertThat(versions(all)).containsExactly(first, version, last);
            ChangedCommit large = all.commits().get(1);
            assertThat(large.rows()).hasSize(2_000);
            for (int i = 0; i < 2_000; i++) {
                assertThat(large.rows().get(i).key()).isEqualTo(keys.get(i));
                assertThat(text(large.rows().get(i).after())).isEqualTo("v" + i);
            }
        }
    }

    @Test
    void waitingReaderIsReleasedWhenTheDatabaseCloses() throws Exception {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITH_VIEWS)) {
            RowDatabase database = bench.database();
            ChangeFeed feed = database.changes();
            CompletableFuture<Void> waiting = feed.beyond(feed.newest());
            assertThat(waiting).isNotDone();
            database.close();
            waiting.get(60, TimeUnit.SECONDS);
            assertThatThrownBy(() -> feed.after(0, 10, MANY_BYTES)).hasMessageContaining("closed");
        }
    }
}
