package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.entities.Entities.delete;
import static petrichor.entities.Entities.entity;
import static petrichor.entities.Entities.key;
import static petrichor.entities.Entities.upsert;

import com.google.datastore.v1.CommitRequest.Mode;
import com.google.datastore.v1.Mutation;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.TimeSource;
import petrichor.entities.IndexDefinition.Column;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionOptions;

/**
 * Races between writers and index changes: an index is declared, built or removed while a writer's
 * commit is pending, or a writer commits while that of an index build is pending.
 */
@Timeout(120)
class IndexBuildUnderWritesTest {
    private static final IndexDefinition INDEX =
            new IndexDefinition(
                    "A",
                    false,
                    List.of(
                            new Column("n", SortOrder.ASCENDING),
                            new Column("t", SortOrder.DESCENDING)));

    /** Changes to the entities with which every test starts. */
    private static final Mutation[] CHANGES = {
        upsert(entity(key("A", "changed"), "n", 2, "t", "text")), delete(key("A", "deleted"))
    };

    /** Shares no row with existing entities, nor with their index rows. */
    private static final Mutation NEW = upsert(entity(key("A", "new"), "n", 1, "t", "text"));

    private final Entities entities = new Entities();
    private final EntityDatabase database = entities.database();
    private final AtomicInteger commits = new AtomicInteger();

    IndexBuildUnderWritesTest() {
        entities.commit(
                upsert(entity(key("A", "changed"), "n", 1, "t", "text")),
                upsert(entity(key("A", "deleted"), "n", 1, "t", "text")),
                upsert(entity(key("A", "untouched"), "n", 1, "t", "text")));
    }

    @AfterEach
    void close() {
        entities.close();
    }

    @Test
    void aWriterRemovesRowsThatAFillAddsBeforeItsCommit() {
        database.indexes().declare(List.of(INDEX));
        writeAfter(this::fill, CHANGES);
        requireConsistent();
        assertThat(commits).as("it saw no rows of the index, so it begins anew").hasValue(2);
    }

    /** A transaction with locks would make the build wait. */
    @Test
    void anOptimisticTransactionLosesToAFillOfItsRemovedRows() {
        database.indexes().declare(List.of(INDEX));
        Transaction transaction = database.rows().begin(new TransactionOptions.Optimistic(null));
        MutationBatch batch =
                MutationBatch.prepare(
                        database,
                        transaction,
                        RequestedMutation.of(database, request(CHANGES)),
                        TimeSource.SYSTEM.epochMicros());
        fill();
        assertThat(transaction.commit(batch.conflictKeys(), batch.writes()).join())
                .isInstanceOf(CommitResult.Conflict.class);
        requireConsistent();
    }

    @Test
    void aFillRereadsEntitiesThatAWriterChangesBeforeItsCommit() {
        database.indexes().declare(List.of(INDEX));
        Database slow = rowsThatFirst(() -> entities.commit(CHANGES));
        new IndexCatalog(slow).finish();
        requireConsistent();
        assertThat(commits).as("a fill, the same again, and the index is readable").hasValue(3);
    }

    @Test
    void aWriterMaintainsAnIndexThatIsMadeBeforeItsCommit() {
        writeAfter(() -> database.indexes().ensure(INDEX), NEW);
        requireConsistent();
        assertThat(commits).hasValue(2);
    }

    @Test
    void aWriterLeavesNothingInAnIndexThatIsRemovedBeforeItsCommit() {
        database.indexes().ensure(INDEX);
        writeAfter(() -> database.indexes().remove(INDEX), NEW);
        requireConsistent();
        assertThat(commits).hasValue(2);
    }

    /** Adds rows only: the list of indexes, which all writers read, does not change. */
    private void fill() {
        new IndexBuilder(database.rows(), database.indexes().newest().all().getFirst()).fill();
    }

    /** Computes mutations before the event, and commits them after it. */
    private void writeAfter(Runnable event, Mutation... mutations) {
        EntityDatabase slow =
                new EntityDatabase(Entities.PROJECT, "", rowsThatFirst(event), database.indexes());
        new Commits(TimeSource.SYSTEM).commit(slow, request(mutations), List.of()).join();
    }

    /** Counts commits, and delays the first one until the event has happened. */
    private Database rowsThatFirst(Runnable event) {
        Function<CommitRequest, CompletableFuture<CommitResult>> commit =
                request -> {
                    if (commits.incrementAndGet() == 1) {
                        event.run();
                    }
                    return database.rows().commit(request);
                };
        return new InterceptedDatabase(database.rows(), commit);
    }

    private static com.google.datastore.v1.CommitRequest request(Mutation... mutations) {
        return com.google.datastore.v1.CommitRequest.newBuilder()
                .setProjectId(Entities.PROJECT)
                .setMode(Mode.NON_TRANSACTIONAL)
                .addAllMutations(Arrays.asList(mutations))
                .build();
    }

    private void requireConsistent() {
        try (Snapshot snapshot = database.rows().snapshot()) {
            Consistency.Report report = Consistency.check(database, snapshot, 10);
            assertThat(report.differences()).isEmpty();
        }
    }
}
