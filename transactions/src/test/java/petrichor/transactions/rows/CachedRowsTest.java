package petrichor.transactions.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.transactions.databases.Rows.bytes;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.Bytes;
import petrichor.kv.WriteBatch;
import petrichor.transactions.Row;

/** Which rows may enter the row cache, and which readers may use them. */
class CachedRowsTest {
    private static final Bytes KEY = Bytes.of(bytes("key"));

    private final RowCache cache = new RowCache(1 << 20);
    private final CachedRows rows = cache.ofDatabase(new TableLayout(1));

    @Test
    void nothingEntersBeforeTheDatabaseIsTaken() {
        rows.read(KEY, row(5), 10);
        assertThat(rows.find(KEY, 10)).isNull();
    }

    @Test
    void aRowThatWasReadIsUsedAtItsVersionAndLater() {
        rows.restart(0);
        rows.read(KEY, row(5), 10);
        assertThat(rows.find(KEY, 4)).isNull();
        assertThat(version(5)).isEqualTo(5);
        assertThat(version(99)).isEqualTo(5);
    }

    @Test
    void anAbsentRowIsKnownFromTheVersionOfItsReadOn() {
        rows.restart(0);
        rows.read(KEY, null, 10);
        assertThat(rows.find(KEY, 9)).isNull();
        assertThat(found(10).value).isNull();
    }

    @Test
    void aCommitReplacesCachedRows() {
        rows.restart(0);
        rows.read(KEY, row(5), 10);
        commit(KEY, 20);
        assertThat(rows.find(KEY, 19)).isNull();
        assertThat(version(20)).isEqualTo(20);
        rows.committed(new WriteBatch().delete(TableLayout.ROWS, KEY.array()), 30);
        assertThat(rows.find(KEY, 29)).isNull();
        assertThat(version(30)).isEqualTo(30);
    }

    @Test
    void aReadFromBeforeACommitOfTheSameRowDoesNotEnter() {
        rows.restart(0);
        commit(KEY, 20);
        rows.read(KEY, row(5), 19);
        assertThat(rows.find(KEY, 30)).isNull();
        rows.read(KEY, row(20), 20);
        assertThat(version(30)).isEqualTo(20);
    }

    @Test
    void aReadFromBeforeTheDatabaseWasTakenBackDoesNotEnter() {
        rows.restart(0);
        rows.read(KEY, row(5), 10);
        rows.restart(20);
        assertThat(rows.find(KEY, 30)).isNull();
        rows.read(KEY, row(5), 19);
        assertThat(rows.find(KEY, 30)).isNull();
        rows.read(KEY, row(15), 20);
        assertThat(version(30)).isEqualTo(15);
    }

    @Test
    void databasesDoNotShareEras() {
        CachedRows others = cache.ofDatabase(new TableLayout(1));
        rows.restart(0);
        others.restart(0);
        rows.read(KEY, row(5), 10);
        assertThat(others.find(KEY, 10)).isNull();
    }

    @Test
    void usedRowsStayWhenTheCacheIsFull() {
        RowCache small = new RowCache(4_000);
        CachedRows few = small.ofDatabase(new TableLayout(1));
        few.restart(0);
        few.read(KEY, row(1), 1);
        for (int i = 0; i < 1_000; i++) {
            few.read(Bytes.of(bytes("other" + i)), row(1), 1);
            assertThat(few.find(KEY, 1)).isNotNull();
            assertThat(small.bytes()).isLessThanOrEqualTo(4_000);
        }
        assertThat(few.find(Bytes.of(bytes("other1")), 1)).isNull();
        assertThat(few.find(Bytes.of(bytes("other999")), 1)).isNotNull();
    }

    @Test
    void aRowThatIsTooLargeDoesNotDisplaceOthers() {
        RowCache small = new RowCache(4_000);
        CachedRows few = small.ofDatabase(new TableLayout(1));
        few.restart(0);
        few.read(KEY, row(1), 1);
        few.read(Bytes.of(bytes("large")), new Row(bytes("large"), 1, new byte[1_000]), 1);
        assertThat(few.find(KEY, 1)).isNotNull();
        assertThat(few.find(Bytes.of(bytes("large")), 1)).isNull();
    }

    /**
     * Commits, reads at any version and takeovers in random order, compared with all versions that
     * ever existed.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aReaderNeverSeesAnythingButItsVersion(long seed) {
        SplittableRandom chance = new SplittableRandom(seed);
        CachedRows few = new RowCache(3_000).ofDatabase(new TableLayout(1));
        Map<Bytes, List<@Nullable Row>> history = new HashMap<>();
        long newest = 0;
        int hits = 0;
        few.restart(0);
        for (int i = 0; i < 20_000; i++) {
            Bytes key = Bytes.of(bytes("k" + chance.nextInt(12)));
            List<@Nullable Row> versions = history.computeIfAbsent(key, _ -> new ArrayList<>());
            switch (chance.nextInt(12)) {
                case 0 -> {
                    newest++;
                    boolean deleted = chance.nextInt(3) == 0;
                    while (versions.size() < newest) {
                        versions.add(versions.isEmpty() ? null : versions.getLast());
                    }
                    versions.add(deleted ? null : row(newest));
                    WriteBatch batch = new WriteBatch();
                    few.committed(
                            deleted
                                    ? batch.delete(TableLayout.ROWS, key.array())
                                    : batch.put(
                                            TableLayout.ROWS,
                                            key.array(),
                                            TableLayout.value(newest, bytes("value"))),
                            newest);
                }
                case 1 -> {
                    if (chance.nextInt(50) == 0) {
                        few.restart(newest);
                    }
                }
                default -> {
                    long at = newest - chance.nextLong(Math.min(newest, 4) + 1);
                    Row there = at(versions, at);
                    CachedRow known = few.find(key, at);
                    if (known == null) {
                        few.read(key, there, at);
                    } else {
                        hits++;
                        assertThat(known.value == null).isEqualTo(there == null);
                        if (there != null) {
                            assertThat(known.version).isEqualTo(there.version());
                        }
                    }
                }
            }
        }
        assertThat(hits).isGreaterThan(1_000);
    }

    private static @Nullable Row at(List<@Nullable Row> versions, long version) {
        return versions.isEmpty()
                ? null
                : versions.get((int) Math.min(version, versions.size() - 1));
    }

    private long version(long at) {
        return found(at).version;
    }

    private CachedRow found(long at) {
        return Objects.requireNonNull(rows.find(KEY, at), "not cached");
    }

    private void commit(Bytes key, long version) {
        rows.committed(
                new WriteBatch()
                        .put(
                                TableLayout.ROWS,
                                key.array(),
                                TableLayout.value(version, bytes("value"))),
                version);
    }

    private static Row row(long version) {
        return new Row(bytes("key"), version, bytes("value"));
    }
}
