package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.CommitRequest.Mode;
import com.google.datastore.v1.Entity;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.CompositeIndex.State;
import petrichor.entities.IndexDefinition.Column;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Snapshot;

/** Filling and emptying of an index is interrupted, and resumes when the database is used again. */
class InterruptedIndexesTest {
    private static final int ENTITIES = 1_000;
    private static final IndexDefinition INDEX =
            new IndexDefinition(
                    "A",
                    false,
                    List.of(
                            new Column("n", SortOrder.ASCENDING),
                            new Column("t", SortOrder.DESCENDING)));

    @TempDir private Path folder;

    @Test
    void fillingResumesWhereItStopped() {
        try (Entities entities = new Entities(RocksStore.open(folder))) {
            write(entities, 0, ENTITIES, 0);
            Database ending = ending(entities.database().rows(), 5);
            assertThatThrownBy(() -> new IndexCatalog(ending).ensure(INDEX))
                    .hasMessageContaining("no more");
            // The changes are before and after the point where filling stopped.
            write(entities, 0, 50, 1);
            write(entities, ENTITIES - 50, ENTITIES + 50, 1);
        }
        try (Entities entities = new Entities(RocksStore.open(folder))) {
            assertThat(state(new IndexCatalog(rows(entities)))).isEqualTo(State.WRITE_ONLY);
            AtomicInteger commits = new AtomicInteger();
            Database rows = rows(entities);
            Database counting =
                    new InterceptedDatabase(
                            rows,
                            request -> {
                                commits.incrementAndGet();
                                return rows.commit(request);
                            });
            new IndexCatalog(counting).finish();
            assertThat(commits).as("it did not begin anew").hasValueLessThan(10);
            assertThat(state(entities.database().indexes())).isEqualTo(State.READABLE);
            requireConsistent(entities, ENTITIES + 50);
        }
    }

    @Test
    void emptyingResumesWhereItStopped() {
        try (Entities entities = new Entities(RocksStore.open(folder))) {
            write(entities, 0, ENTITIES, 0);
            write(entities, ENTITIES, 2 * ENTITIES, 0);
            entities.database().indexes().ensure(INDEX);
            Database ending = ending(entities.database().rows(), 2);
            assertThatThrownBy(() -> new IndexCatalog(ending).remove(INDEX))
                    .hasMessageContaining("no more");
        }
        try (Entities entities = new Entities(RocksStore.open(folder))) {
            // Opening the database resumes by itself; creating the index again waits for that.
            assertThat(entities.database().indexes().ensure(INDEX)).isTrue();
            assertThat(entities.database().indexes().newest().all()).hasSize(1);
            requireConsistent(entities, 2 * ENTITIES);
        }
    }

    @Test
    @Timeout(60)
    void openingADatabaseResumesTheWork() {
        try (Entities entities = new Entities(RocksStore.open(folder))) {
            write(entities, 0, ENTITIES, 0);
            Database ending = ending(entities.database().rows(), 3);
            assertThatThrownBy(() -> new IndexCatalog(ending).ensure(INDEX))
                    .hasMessageContaining("no more");
        }
        try (Entities entities = new Entities(RocksStore.open(folder))) {
            while (entities.database().indexes().unfinished()) {
                Thread.onSpinWait();
            }
            assertThat(state(entities.database().indexes())).isEqualTo(State.READABLE);
            requireConsistent(entities, ENTITIES);
        }
    }

    /** Only the rows: a database of entities would resume immediately. */
    private static Database rows(Entities entities) {
        return entities.rows().open(Entities.PROJECT);
    }

    private static State state(IndexCatalog catalog) {
        return catalog.newest().all().getFirst().state();
    }

    private static void write(Entities entities, int from, int to, int change) {
        com.google.datastore.v1.CommitRequest.Builder commit =
                com.google.datastore.v1.CommitRequest.newBuilder().setMode(Mode.NON_TRANSACTIONAL);
        for (int i = from; i < to; i++) {
            Entity entity =
                    Entities.entity(
                            Entities.key("A", "k" + i), "n", i + change, "t", "text" + i % 7);
            commit.addMutations(Entities.upsert(entity));
        }
        entities.commit(commit);
    }

    private static void requireConsistent(Entities entities, int size) {
        try (Snapshot snapshot = entities.database().rows().snapshot()) {
            Consistency.Report report = Consistency.check(entities.database(), snapshot, 10);
            assertThat(report.differences()).isEmpty();
            assertThat(report.entities()).isEqualTo(size);
        }
    }

    /** A database that accepts this many commits and then fails, as if its server had crashed. */
    private static Database ending(Database rows, int commitsMax) {
        AtomicInteger left = new AtomicInteger(commitsMax);
        return new InterceptedDatabase(
                rows,
                request ->
                        left.getAndDecrement() > 0
                                ? rows.commit(request)
                                : CompletableFuture.completedFuture(
                                        new CommitResult.Refused(
                                                new PetrichorException(
                                                        ErrorCode.UNAVAILABLE,
                                                        "no more commits"))));
    }
}
