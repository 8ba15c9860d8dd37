package petrichor.tuples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Snapshot;
import petrichor.transactions.databases.RowDatabases;

/** Writes of tuples that two commits compute at the same version. */
final class TupleWriterTest {
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);
    private final Database database = databases.open("p");
    private final TupleWriter writer = new TupleWriter(new TupleCatalog());

    @BeforeEach
    void create() {
        var _ =
                new TupleStore(database, new Random(1))
                        .create("c", new TuplePlacement.Ordered(), true);
    }

    @AfterEach
    void close() {
        databases.close();
        store.close();
    }

    private static TupleWrite put(String key) {
        return new TupleWrite.Put(
                "c", key, key.getBytes(UTF_8), new TreeSet<>(), new TupleWrite.Condition.Any());
    }

    private static TupleWrite delete(String key) {
        return new TupleWrite.Delete("c", key, new TupleWrite.Condition.Any());
    }

    private TupleEdits edits(Snapshot snapshot, TupleWrite... writes) {
        TupleEdits edits = new TupleEdits(snapshot);
        assertThat(writer.write(edits, List.of(writes), true).applied()).isTrue();
        return edits;
    }

    @Test
    void aTupleThatABatchFoundAbsentMustStayAbsent() {
        try (Snapshot snapshot = database.snapshot()) {
            TupleEdits one = edits(snapshot, delete("a"), put("b"));
            TupleEdits other = edits(snapshot, delete("b"), put("a"));
            assertThat(database.commit(one.request()).join())
                    .isInstanceOf(CommitResult.Committed.class);
            assertThat(database.commit(other.request()).join())
                    .isInstanceOf(CommitResult.Conflict.class);
        }
    }

    @Test
    void batchesOfOtherTuplesDoNotConflict() {
        try (Snapshot snapshot = database.snapshot()) {
            TupleEdits one = edits(snapshot, delete("a"), put("b"));
            TupleEdits other = edits(snapshot, delete("c"), put("d"));
            assertThat(database.commit(one.request()).join())
                    .isInstanceOf(CommitResult.Committed.class);
            assertThat(database.commit(other.request()).join())
                    .isInstanceOf(CommitResult.Committed.class);
        }
    }
}
