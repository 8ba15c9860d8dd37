package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.scan;
import static petrichor.transactions.databases.Rows.text;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.transactions.Branch;
import petrichor.transactions.ChangedCommit;
import petrichor.transactions.Changes;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.Database;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.rows.ScatteredIds;
import petrichor.transactions.rows.TableLayout;

/** Branches of a database. */
class BranchTest {
    private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1_000;
    private static final long SECOND_MICROS = 1_000_000;

    private static List<String> all(Database database) {
        try (Snapshot snapshot = database.snapshot()) {
            List<String> forward = scan(snapshot, KeyRange.ALL, Direction.FORWARD);
            assertThat(scan(snapshot, KeyRange.ALL, Direction.REVERSE))
                    .isEqualTo(forward.reversed());
            return forward;
        }
    }

    private static List<String> all(Database database, long version) {
        try (Snapshot snapshot = database.snapshotAt(version)) {
            return scan(snapshot, KeyRange.ALL, Direction.FORWARD);
        }
    }

    private static Branch branch(TestBench bench, String name, String parent) {
        return bench.databases().branch(name, parent, OptionalLong.empty());
    }

    @ParameterizedTest
    @EnumSource
    void aBranchAndItsParentDoNotSeeEachOthersWrites(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            for (String key : List.of("a", "b", "c", "d")) {
                committed(put(bench.database(), key, "1"));
            }
            Branch made = branch(bench, "branch", "test");
            RowDatabase branch = bench.databases().open("branch");
            assertThat(all(branch)).containsExactly("a=1", "b=1", "c=1", "d=1");
            committed(put(branch, "a", "branch"));
            committed(put(branch, "b", null));
            committed(put(branch, "e", "branch"));
            committed(put(bench.database(), "a", "parent"));
            committed(put(bench.database(), "b", "parent"));
            committed(put(bench.database(), "c", null));
            committed(put(bench.database(), "f", "parent"));
            List<String> ofBranch = List.of("a=branch", "c=1", "d=1", "e=branch");
            assertThat(all(branch)).isEqualTo(ofBranch);
            assertThat(all(bench.database()))
                    .containsExactly("a=parent", "b=parent", "d=1", "f=parent");
            assertThat(bench.databases().branches()).containsExactly(made);
            bench.reopen();
            assertThat(all(bench.databases().open("branch"))).isEqualTo(ofBranch);
            try (Snapshot snapshot = bench.databases().open("branch").snapshot()) {
                assertThat(text(snapshot.get(bytes("c")))).isEqualTo("1");
                assertThat(snapshot.get(bytes("b"))).isNull();
                assertThat(snapshot.get(bytes("f"))).isNull();
                assertThat(
                                snapshot.get(List.of(bytes("a"), bytes("b"), bytes("d"))).stream()
                                        .map(Rows::text))
                        .containsExactly("branch", null, "1");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRowThatIsRemovedAndWrittenAgainHasItsPast(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            committed(put(bench.database(), "a", "parent"));
            long begin = branch(bench, "branch", "test").version();
            RowDatabase branch = bench.databases().open("branch");
            long removed = committed(put(branch, "a", null));
            long written = committed(put(branch, "a", "branch"));
            committed(put(branch, "a", "later"));
            committed(put(bench.database(), "a", "parent later"));
            assertThat(all(branch, begin)).containsExactly("a=parent");
            assertThat(all(branch, removed)).isEmpty();
            assertThat(all(branch, written)).containsExactly("a=branch");
            assertThat(all(branch)).containsExactly("a=later");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBranchOfThePastSharesThatVersion(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            long first = committed(put(bench.database(), "a", "1"));
            committed(put(bench.database(), "a", null));
            committed(put(bench.database(), "b", "1"));
            bench.databases().branch("branch", "test", OptionalLong.of(first));
            assertThat(all(bench.databases().open("branch"))).containsExactly("a=1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBranchReadsItsParentsPastBeforeItBegan(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            long first = committed(put(bench.database(), "a", "1"));
            committed(put(bench.database(), "a", "2"));
            committed(put(bench.database(), "b", "1"));
            branch(bench, "branch", "test");
            RowDatabase branch = bench.databases().open("branch");
            committed(put(branch, "a", "branch"));
            committed(put(branch, "c", "branch"));
            committed(put(bench.database(), "a", "3"));
            assertThat(all(branch, first)).containsExactly("a=1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void branchesOfBranchesShareAllOfTheirParents(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            for (String key : List.of("a", "b", "c")) {
                committed(put(bench.database(), key, "0"));
            }
            String parent = "test";
            for (int depth = 1; depth <= Branches.DEPTH_MAX; depth++) {
                branch(bench, "branch-" + depth, parent);
                parent = "branch-" + depth;
                RowDatabase branch = bench.databases().open(parent);
                committed(put(branch, "a", depth % 2 == 0 ? null : "" + depth));
                committed(put(branch, "x" + depth, "" + depth));
                committed(put(bench.database(), "b", "parent"));
            }
            assertThat(all(bench.databases().open("branch-3")))
                    .containsExactly("a=3", "b=0", "c=0", "x1=1", "x2=2", "x3=3");
            assertThat(all(bench.databases().open("branch-4")))
                    .containsExactly("b=0", "c=0", "x1=1", "x2=2", "x3=3", "x4=4");
            String deepest = parent;
            assertThatThrownBy(() -> branch(bench, "too-deep", deepest))
                    .hasMessageContaining("branch one of its parents");
        }
    }

    @ParameterizedTest
    @EnumSource
    void theParentKeepsWhatItsBranchesShare(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            committed(put(bench.database(), "a", "1"));
            committed(put(bench.database(), "b", "1"));
            branch(bench, "branch", "test");
            for (int hour = 0; hour < 5; hour++) {
                bench.time().advanceMicros(HOUR_MICROS);
                committed(put(bench.database(), "a", "hour " + hour));
                committed(put(bench.database(), "b", hour == 2 ? null : "hour " + hour));
                bench.databases().tidy();
            }
            assertThat(all(bench.databases().open("branch"))).containsExactly("a=1", "b=1");
            int held = bench.historyRows();
            bench.databases().drop("branch");
            bench.time().advanceMicros(HOUR_MICROS);
            bench.databases().tidy();
            assertThat(bench.historyRows()).as("a dropped branch holds nothing").isLessThan(held);
        }
    }

    @ParameterizedTest
    @EnumSource
    void droppingABranchRemovesAllOfIt(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            committed(put(bench.database(), "a", "1"));
            branch(bench, "branch", "test");
            RowDatabase branch = bench.databases().open("branch");
            TableLayout layout = new TableLayout(branch.number());
            TableLayout parent = new TableLayout(bench.database().number());
            committed(put(branch, "a", "2"));
            committed(put(branch, "a", "3"));
            assertThatThrownBy(() -> bench.databases().drop("test"))
                    .hasMessageContaining("Drop them first");
            bench.databases().drop("branch");
            assertThat(rows(bench, TableLayout.ROWS, layout.allRows())).isZero();
            assertThat(rows(bench, TableLayout.HISTORY, layout.allHistory())).isZero();
            assertThat(rows(bench, TableLayout.META, parent.branches())).isZero();
            assertThat(bench.databases().branches()).isEmpty();
            assertThat(all(bench.database())).containsExactly("a=1");
            bench.databases().drop("test");
            assertThat(bench.databases().names()).isEmpty();
        }
    }

    private static int rows(TestBench bench, String table, KeyRange range) {
        int rows = 0;
        try (Scan scan = bench.store().scan(table, range, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                rows++;
            }
        }
        return rows;
    }

    @ParameterizedTest
    @EnumSource
    void aBranchAllocatesNoIdOfItsParent(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            Set<Long> taken = new HashSet<>();
            for (long id : bench.database().allocateIds(25)) {
                taken.add(id);
            }
            // Of later blocks.
            long block = TransactionLimits.DEFAULT.idBlock();
            for (long count = block + 100; count < block + 200; count++) {
                long id = ScatteredIds.idOf(count);
                bench.database().reserveIds(id);
                taken.add(id);
            }
            branch(bench, "branch", "test");
            branch(bench, "of-branch", "branch");
            for (String name : List.of("branch", "of-branch")) {
                for (long id :
                        bench.databases()
                                .open(name)
                                .allocateIds(2 * TransactionLimits.DEFAULT.idBlock())) {
                    assertThat(taken).doesNotContain(id);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theChangeFeedOfABranchHasItsOwnCommits(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            committed(put(bench.database(), "a", "1"));
            long begin = branch(bench, "branch", "test").version();
            RowDatabase branch = bench.databases().open("branch");
            committed(put(branch, "a", "2"));
            committed(put(branch, "a", null));
            committed(put(branch, "b", "1"));
            Changes changes = branch.changes().after(begin, 100, 1 << 20);
            assertThat(changes.commits().stream().map(BranchTest::described))
                    .containsExactly("a: 1 -> 2", "a: 2 -> null", "b: null -> 1");
            assertThat(branch.changes().oldest()).isEqualTo(begin);
            assertThatThrownBy(() -> branch.changes().after(0, 100, 1 << 20))
                    .hasMessageContaining("no longer kept");
        }
    }

    private static String described(ChangedCommit commit) {
        var row = commit.rows().getFirst();
        return new String(row.key(), java.nio.charset.StandardCharsets.UTF_8)
                + ": "
                + text(row.before())
                + " -> "
                + text(row.after());
    }

    @ParameterizedTest
    @EnumSource
    void aFollowerReadsABranch(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            committed(put(bench.database(), "a", "1"));
            committed(put(bench.database(), "b", "1"));
            branch(bench, "branch", "test");
            RowDatabase branch = bench.databases().open("branch");
            committed(put(branch, "a", null));
            committed(put(branch, "c", "branch"));
            committed(put(bench.database(), "b", "parent"));
            FollowerDatabase follower =
                    new FollowerDatabase(
                            "branch",
                            bench.store(),
                            bench.databases().lineage(),
                            branch::share,
                            bench.time());
            assertThat(all(follower)).containsExactly("b=1", "c=branch");
            try (Snapshot snapshot = follower.snapshot()) {
                assertThat(snapshot.get(bytes("a"))).isNull();
                assertThat(text(snapshot.get(bytes("b")))).isEqualTo("1");
            }
        }
    }

    /** The floor of the branch's versions, without which its first reads would be of version 0. */
    @ParameterizedTest
    @EnumSource
    void aClockThatJumpsBackDoesNotMixVersions(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            committed(put(bench.database(), "a", "1"));
            long begin = branch(bench, "branch", "test").version();
            bench.time().advanceMicros(-60 * SECOND_MICROS);
            RowDatabase branch = bench.databases().open("branch");
            assertThat(all(branch)).containsExactly("a=1");
            assertThat(committed(put(branch, "a", "2"))).isGreaterThan(begin);
            assertThat(all(branch)).containsExactly("a=2");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPayloadThatLooksLikeAShadowIsKept(TestStore kind) {
        try (TestBench bench = TestBench.open(kind)) {
            committed(put(bench.database(), "a", "1"));
            branch(bench, "branch", "test");
            RowDatabase branch = bench.databases().open("branch");
            List<String> payloads = List.of("\0petrichor.shadow", "\0petrichor.shadow\1x", "");
            for (String payload : payloads) {
                long version = committed(put(branch, "a", payload));
                assertThat(all(branch)).containsExactly("a=" + payload);
                try (Snapshot snapshot = branch.snapshot()) {
                    assertThat(text(snapshot.get(bytes("a")))).isEqualTo(payload);
                }
                committed(put(branch, "a", "other"));
                assertThat(all(branch, version)).containsExactly("a=" + payload);
            }
        }
    }

    @Test
    void aCommitThatReadSharedRowsConflictsWithCommitsOfTheBranchOnly() {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITH_VIEWS)) {
            committed(put(bench.database(), "a", "1"));
            branch(bench, "branch", "test");
            RowDatabase branch = bench.databases().open("branch");
            try (Snapshot snapshot = branch.snapshot()) {
                committed(put(bench.database(), "a", "parent"));
                CommitRequest request =
                        new CommitRequest(
                                snapshot.version(),
                                List.of(bytes("a")),
                                List.of(),
                                List.of(bytes("b")),
                                List.of(new RowWrite(bytes("b"), bytes("1"), null)));
                committed(branch.commit(request));
                committed(put(branch, "a", "branch"));
                assertThat(branch.commit(request).join())
                        .isInstanceOf(petrichor.transactions.CommitResult.Conflict.class);
            }
        }
    }

    @Test
    void whatCannotBeCreatedIsRefused() {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITH_VIEWS)) {
            assertThatThrownBy(() -> branch(bench, "branch", "none"))
                    .hasMessageContaining("There is no database none");
            long written = committed(put(bench.database(), "a", "1"));
            assertThatThrownBy(() -> branch(bench, "test", "test"))
                    .hasMessageContaining("choose another name");
            assertThatThrownBy(
                            () ->
                                    bench.databases()
                                            .branch(
                                                    "branch",
                                                    "test",
                                                    OptionalLong.of(written + HOUR_MICROS)))
                    .hasMessageContaining("in the future");
            bench.time().advanceMicros(3 * HOUR_MICROS);
            assertThatThrownBy(
                            () ->
                                    bench.databases()
                                            .branch("branch", "test", OptionalLong.of(written)))
                    .hasMessageContaining("too old");
            assertThat(bench.databases().names()).containsExactly("test");
            for (int number = 0; number < Branches.BRANCHES_MAX; number++) {
                branch(bench, "branch-" + number, "test");
            }
            assertThatThrownBy(() -> branch(bench, "one-more", "test"))
                    .hasMessageContaining("the maximum");
        }
    }

    /** The link of an attempt that lost the name, or whose answer was lost. */
    @Test
    void aLinkOfALostAttemptHidesNoBranch() {
        try (TestBench bench = TestBench.open(TestStore.MEMORY_WITH_LOG)) {
            committed(put(bench.database(), "a", "1"));
            Branch made = branch(bench, "branch", "test");
            WriteBatch lost = new WriteBatch();
            Catalog.link(
                    lost,
                    "branch",
                    new Catalog.Entry(made.number() + 1, 7, "", new Catalog.Origin(1, 5, "test")));
            bench.store().write(lost);
            assertThatThrownBy(() -> bench.databases().drop("test"))
                    .hasMessageContaining("has branches");
        }
    }
}
