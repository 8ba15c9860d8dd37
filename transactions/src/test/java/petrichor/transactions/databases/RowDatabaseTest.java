package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.commit;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.range;
import static petrichor.transactions.databases.Rows.scan;
import static petrichor.transactions.databases.Rows.text;
import static petrichor.transactions.databases.Rows.write;

import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionOptions;

/** Behaviour of a database for one client, on every store that needs no server. */
@NullUnmarked
@ParameterizedClass
@EnumSource(TestStore.class)
class RowDatabaseTest {
    private static final TransactionOptions OPTIMISTIC = new TransactionOptions.Optimistic(null);

    @Parameter TestStore kind;
    private TestBench bench;
    private Database database;

    @BeforeEach
    void open() {
        bench = TestBench.open(kind);
        database = bench.database();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void aCommitIsReadByTheNextSnapshot() {
        committed(put(database, "a", "1"));
        try (Snapshot snapshot = database.snapshot()) {
            assertThat(text(snapshot.get(bytes("a")))).isEqualTo("1");
            assertThat(snapshot.get(bytes("b"))).isNull();
            assertThat(snapshot.get(List.of(bytes("b"), bytes("a"))).get(1)).isNotNull();
        }
    }

    @Test
    void aSnapshotStaysAsItWasWhileOthersWrite() {
        committed(put(database, "a", "1"));
        committed(put(database, "b", "1"));
        try (Snapshot before = database.snapshot()) {
            committed(put(database, "a", "2"));
            committed(put(database, "b", null));
            committed(put(database, "c", "2"));
            assertThat(scan(before, KeyRange.ALL, Direction.FORWARD)).containsExactly("a=1", "b=1");
            assertThat(scan(before, KeyRange.ALL, Direction.REVERSE)).containsExactly("b=1", "a=1");
            assertThat(text(before.get(bytes("b")))).isEqualTo("1");
            assertThat(before.get(bytes("c"))).isNull();
        }
        try (Snapshot after = database.snapshot()) {
            assertThat(scan(after, KeyRange.ALL, Direction.FORWARD)).containsExactly("a=2", "c=2");
        }
    }

    @Test
    void everyVersionOfThePastCanBeRead() {
        long first = committed(put(database, "a", "1"));
        long second = committed(put(database, "a", "2"));
        long removed = committed(put(database, "a", null));
        long again = committed(put(database, "a", "3"));
        assertThat(at(first - 1)).isEmpty();
        assertThat(at(first)).containsExactly("a=1");
        assertThat(at(second - 1)).containsExactly("a=1");
        assertThat(at(second)).containsExactly("a=2");
        assertThat(at(removed)).isEmpty();
        assertThat(at(again)).containsExactly("a=3");
    }

    private List<String> at(long version) {
        try (Snapshot snapshot = database.snapshotAt(version)) {
            List<String> forward = scan(snapshot, KeyRange.ALL, Direction.FORWARD);
            assertThat(scan(snapshot, KeyRange.ALL, Direction.REVERSE))
                    .isEqualTo(forward.reversed());
            String byKey = text(snapshot.get(bytes("a")));
            assertThat(forward).isEqualTo(byKey == null ? List.of() : List.of("a=" + byKey));
            return forward;
        }
    }

    @Test
    void versionsGrowEvenWhenTheClockJumpsBack() {
        long first = committed(put(database, "a", "1"));
        bench.time().advanceMicros(-10_000_000);
        long second = committed(put(database, "a", "2"));
        assertThat(second).isGreaterThan(first);
        bench.reopen();
        assertThat(committed(put(bench.database(), "a", "3"))).isGreaterThan(second);
    }

    @Test
    void lostUpdateIsRefused() {
        committed(put(database, "a", "1"));
        Transaction one = database.begin(OPTIMISTIC);
        Transaction two = database.begin(OPTIMISTIC);
        RowWrite first = write(one, "a", "2");
        RowWrite second = write(two, "a", "3");
        committed(commit(one, first));
        assertThat(commit(two, second).join()).isInstanceOf(CommitResult.Conflict.class);
    }

    @Test
    void writeSkewIsRefused() {
        Transaction one = database.begin(OPTIMISTIC);
        Transaction two = database.begin(OPTIMISTIC);
        assertThat(one.get(bytes("b"))).isNull();
        assertThat(two.get(bytes("a"))).isNull();
        committed(commit(one, write(one, "a", "1")));
        assertThat(commit(two, write(two, "b", "1")).join())
                .isInstanceOf(CommitResult.Conflict.class);
    }

    @Test
    void phantomIsRefused() {
        Transaction counter = database.begin(OPTIMISTIC);
        assertThat(scan(counter, range("k", "l"), Direction.FORWARD)).isEmpty();
        committed(put(database, "k1", "new"));
        assertThat(commit(counter, write(counter, "sum", "0")).join())
                .isInstanceOf(CommitResult.Conflict.class);
    }

    @Test
    void rowsBeyondTheScannedPartMayChange() {
        committed(put(database, "k1", "1"));
        committed(put(database, "k2", "1"));
        committed(put(database, "k3", "1"));
        Transaction first = database.begin(OPTIMISTIC);
        try (RowCursor cursor = first.scan(range("k", "l"), Direction.FORWARD)) {
            assertThat(cursor.next()).isTrue();
        }
        Transaction last = database.begin(OPTIMISTIC);
        try (RowCursor cursor = last.scan(range("k", "l"), Direction.REVERSE)) {
            assertThat(cursor.next()).isTrue();
        }
        committed(put(database, "k2", "2"));
        committed(commit(first, write(first, "x", "1")));
        committed(commit(last, write(last, "y", "1")));
    }

    @Test
    void aCursorStillOpenAtCommitCounts() {
        committed(put(database, "k1", "1"));
        Transaction reader = database.begin(OPTIMISTIC);
        try (RowCursor cursor = reader.scan(range("k", "l"), Direction.FORWARD)) {
            assertThat(cursor.next()).isTrue();
            committed(put(database, "k1", "2"));
            assertThat(commit(reader, write(reader, "x", "1")).join())
                    .isInstanceOf(CommitResult.Conflict.class);
        }
    }

    @Test
    void aTransactionWithoutWritesCommitsDespiteWritesOfOthers() {
        committed(put(database, "a", "1"));
        Transaction reader = database.begin(OPTIMISTIC);
        assertThat(text(reader.get(bytes("a")))).isEqualTo("1");
        committed(put(database, "a", "2"));
        committed(reader.commit(List.of(), List.of()));
    }

    @Test
    void aReadOnlyTransactionReadsAtItsReadTimeOrAtItsBeginning() {
        long first = committed(put(database, "a", "1"));
        committed(put(database, "a", "2"));
        Transaction past = database.begin(new TransactionOptions.ReadOnly(first));
        Transaction now = database.begin(new TransactionOptions.ReadOnly(0));
        committed(put(database, "a", "3"));
        assertThat(past.version()).isEqualTo(first);
        assertThat(text(past.get(bytes("a")))).isEqualTo("1");
        assertThat(text(now.get(bytes("a")))).isEqualTo("2");
    }

    @Test
    void aReadOnlyTransactionDoesNotWrite() {
        Transaction reader = database.begin(new TransactionOptions.ReadOnly(0));
        RowWrite write = write(reader, "a", "1");
        assertThatThrownBy(() -> commit(reader, write)).hasMessageContaining("read-only");
    }

    @Test
    void aTransactionThatEndedIsAborted() {
        Transaction done = database.begin(OPTIMISTIC);
        done.rollback();
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> done.get(bytes("a")));
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> database.transaction(done.id()));
    }

    @Test
    void anIdleTransactionExpires() {
        Transaction idle = database.begin(OPTIMISTIC);
        bench.time().advanceMicros(50_000_000);
        assertThat(database.transaction(idle.id())).isSameAs(idle);
        bench.time().advanceMicros(60_000_001);
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> database.transaction(idle.id()));
    }

    @Test
    void noTransactionLivesLongerThanTheTotal() {
        Transaction busy = database.begin(OPTIMISTIC);
        for (int i = 0; i < 5; i++) {
            bench.time().advanceMicros(50_000_000);
            assertThat(database.transaction(busy.id())).isSameAs(busy);
        }
        bench.time().advanceMicros(50_000_000);
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> database.transaction(busy.id()));
    }

    @Test
    void formerTransactionsAreAbortedAndForeignOnesInvalid() {
        TransactionId former = database.begin(OPTIMISTIC).id();
        TransactionId foreign = bench.databases().open("other").begin(OPTIMISTIC).id();
        TransactionId ended = database.begin(OPTIMISTIC).id();
        database.rollback(ended);
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> database.transaction(ended));
        bench.reopen();
        assertCode(ErrorCode.ABORTED, () -> bench.database().transaction(former));
        bench.database().rollback(former);
        assertThatThrownBy(() -> bench.database().transaction(foreign))
                .hasMessageContaining("does not belong to this database");
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> bench.database().rollback(foreign));
    }

    @Test
    void transactionIdsOfOtherClientsCannotBeGuessed() {
        TransactionId own = database.begin(OPTIMISTIC).id();
        Transaction other = database.begin(OPTIMISTIC);
        TransactionId guess =
                new TransactionId(own.epoch(), own.number() + 1, own.salt(), own.secret());
        assertThat(other.id().number()).isEqualTo(guess.number());
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> database.transaction(guess));
        database.rollback(guess);
        assertThat(database.transaction(other.id())).isSameAs(other);
        assertThat(TransactionId.parse(own.toBytes())).contains(own);
        assertThat(own.toBytes()).hasSize(40);
    }

    @Test
    void databasesOfAStoreDoNotSeeEachOther() {
        Database other = bench.databases().open("other");
        committed(put(database, "a", "1"));
        committed(put(other, "a", "2"));
        try (Snapshot one = database.snapshot();
                Snapshot two = other.snapshot()) {
            assertThat(scan(one, KeyRange.ALL, Direction.FORWARD)).containsExactly("a=1");
            assertThat(scan(two, KeyRange.ALL, Direction.REVERSE)).containsExactly("a=2");
        }
        assertThat(bench.databases().names()).containsExactly("other", "test");
        bench.databases().drop("other");
        assertThat(bench.databases().names()).containsExactly("test");
        try (Snapshot empty = bench.databases().open("other").snapshot()) {
            assertThat(scan(empty, KeyRange.ALL, Direction.FORWARD)).isEmpty();
        }
        assertCode(ErrorCode.UNAVAILABLE, other::snapshot);
    }

    @Test
    void allRowsSurviveReopening() {
        long first = committed(put(database, "a", "1"));
        committed(put(database, "a", "2"));
        bench.reopen();
        try (Snapshot now = bench.database().snapshot();
                Snapshot then = bench.database().snapshotAt(first)) {
            assertThat(text(now.get(bytes("a")))).isEqualTo("2");
            assertThat(text(then.get(bytes("a")))).isEqualTo("1");
        }
    }

    @Test
    void aReadTimeInTheFutureIsRefused() {
        assertCode(
                ErrorCode.INVALID_ARGUMENT,
                () -> database.snapshotAt(bench.time().epochMicros() + 1_000));
    }

    @Test
    void aReadTimeBeforeTheRetainedHistoryIsRefusedWithItsLimit() {
        long first = committed(put(database, "a", "1"));
        bench.time().advanceMicros(3_600_000_001L);
        assertThatThrownBy(() -> database.snapshotAt(first))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("3600 s");
    }

    @Test
    void noCommitGetsAVersionBelowAServedReadTime() {
        committed(put(database, "a", "1"));
        bench.time().advanceMicros(5_000_000);
        long then = bench.time().epochMicros();
        try (Snapshot snapshot = database.snapshotAt(then)) {
            bench.time().advanceMicros(-4_000_000);
            assertThat(committed(put(database, "a", "2"))).isGreaterThan(then);
            assertThat(text(snapshot.get(bytes("a")))).isEqualTo("1");
        }
        bench.reopen();
        assertThat(committed(put(bench.database(), "a", "3"))).isGreaterThan(then);
    }

    @Test
    void aReaderFindsWhatWasOverwrittenInALaterHour() {
        long first = committed(put(database, "a", "1"));
        try (Snapshot newest = database.snapshot();
                Snapshot past = database.snapshotAt(first)) {
            bench.time().advanceMicros(2 * 3_600_000_000L);
            committed(put(database, "a", "2"));
            for (Snapshot snapshot : List.of(newest, past)) {
                assertThat(text(snapshot.get(bytes("a")))).isEqualTo("1");
                assertThat(scan(snapshot, KeyRange.ALL, Direction.FORWARD)).containsExactly("a=1");
            }
        }
    }

    @Test
    void removedHistoryStaysRefusedWhenTheClockJumpsBack() {
        long first = committed(put(database, "a", "1"));
        committed(put(database, "a", "2"));
        bench.time().advanceMicros(3 * 3_600_000_000L);
        bench.databases().tidy();
        bench.time().advanceMicros(-3 * 3_600_000_000L);
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> database.snapshotAt(first));
        bench.reopen();
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> bench.database().snapshotAt(first));
    }

    @Test
    void oldHistoryIsRemovedButNotUnderAReader() {
        long first = committed(put(database, "a", "1"));
        committed(put(database, "a", "2"));
        try (Snapshot reader = database.snapshotAt(first)) {
            bench.time().advanceMicros(3 * 3_600_000_000L);
            bench.databases().tidy();
            assertThat(text(reader.get(bytes("a")))).isEqualTo("1");
            assertThat(bench.historyRows()).isEqualTo(1);
        }
        bench.databases().tidy();
        assertThat(bench.historyRows()).isZero();
    }

    private static void assertCode(ErrorCode code, Runnable attempt) {
        assertThatThrownBy(attempt::run)
                .isInstanceOfSatisfying(
                        PetrichorException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
