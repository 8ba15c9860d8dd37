package petrichor.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.clients.EntitiesTest.refused;

import com.google.cloud.Timestamp;
import com.google.cloud.datastore.AggregationQuery;
import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.DatastoreException;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.FullEntity;
import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.Query;
import com.google.cloud.datastore.StructuredQuery.PropertyFilter;
import com.google.cloud.datastore.Transaction;
import com.google.cloud.datastore.aggregation.Aggregation;
import com.google.datastore.v1.TransactionOptions;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class TransactionsTest {
    private static final TransactionOptions READ_ONLY = TransactionOptions.newBuilder()
            .setReadOnly(TransactionOptions.ReadOnly.getDefaultInstance())
            .build();

    private static final AggregationQuery COUNT = Query.newAggregationQueryBuilder()
            .over(Query.newEntityQueryBuilder().setKind("Counter").build())
            .addAggregation(Aggregation.count().as("n"))
            .build();

    private final Fixture fixture = Fixture.open();
    private final Datastore store = fixture.store();
    private final Key key = fixture.key("Counter", "a");

    private static Entity counter(Key key, long n) {
        return Entity.newBuilder(key).set("n", n).build();
    }

    private void increment(Transaction transaction) {
        transaction.put(counter(key, transaction.get(key).getLong("n") + 1));
    }

    @Test
    void aTransactionCommitsAllItWrote() {
        fixture.put(key, 1);
        Key log = store.runInTransaction(transaction -> {
            increment((Transaction) transaction);
            return transaction.add(FullEntity.newBuilder(fixture.kind("Log").newKey()).set("n", 1).build()).getKey();
        });
        assertThat(fixture.n(key)).isEqualTo(2);
        assertThat(fixture.n(log)).isOne();
    }

    @Test
    void ofTwoTransactionsTheSecondToCommitIsAborted() {
        fixture.put(key, 1);
        Transaction first = store.newTransaction();
        Transaction second = store.newTransaction();
        increment(first);
        increment(second);
        first.commit();
        refused("ABORTED", second::commit);
        assertThat(fixture.n(key)).isEqualTo(2);
    }

    @Test
    void aRetryThatNamesItsPreviousTransactionFinishes() {
        fixture.put(key, 1);
        Transaction first = store.newTransaction();
        increment(first);
        fixture.put(key, 50);
        refused("ABORTED", first::commit);
        ByteString previous = first.getTransactionId();
        Transaction second = store.newTransaction(TransactionOptions.newBuilder()
                .setReadWrite(TransactionOptions.ReadWrite.newBuilder().setPreviousTransaction(previous))
                .build());
        increment(second);
        second.commit();
        assertThat(fixture.n(key)).isEqualTo(51);
    }

    @Test
    void incrementsFromManyThreadsAreAllCounted() throws Exception {
        fixture.put(key, 0);
        Callable<Integer> work = () -> {
            int aborted = 0;
            for (int done = 0; done < 5; ) {
                try {
                    Transaction transaction = store.newTransaction();
                    increment(transaction);
                    transaction.commit();
                    done++;
                } catch (DatastoreException conflict) {
                    assertThat(conflict.getReason()).isEqualTo("ABORTED");
                    assertThat(++aborted).isLessThan(200);
                }
            }
            return aborted;
        };
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (Future<Integer> done : threads.invokeAll(List.of(work, work, work, work))) {
                done.get();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(fixture.n(key)).isEqualTo(20);
    }

    @Test
    void aPhantomInAQueryIsAConflict() {
        fixture.put(key, 1);
        Transaction transaction = store.newTransaction();
        List<Entity> seen = new ArrayList<>();
        transaction.run(Query.newEntityQueryBuilder().setKind("Counter").setFilter(PropertyFilter.eq("n", 1)).build())
                .forEachRemaining(seen::add);
        assertThat(seen).hasSize(1);
        fixture.put(fixture.key("Counter", "z"), 1);
        transaction.put(counter(fixture.key("Sum", "s"), seen.size()));
        refused("ABORTED", transaction::commit);
        assertThat(store.get(fixture.key("Sum", "s"))).isNull();
    }

    @Test
    void aReadOnlyTransactionReadsOneSnapshot() {
        fixture.put(key, 1);
        Transaction transaction = store.newTransaction(READ_ONLY);
        assertThat(transaction.get(key).getLong("n")).isOne();
        fixture.put(key, 2);
        assertThat(transaction.get(key).getLong("n")).isOne();
        transaction.commit();
        assertThat(fixture.n(key)).isEqualTo(2);
    }

    @Test
    void aReadOnlyTransactionInThePast() {
        fixture.put(key, 1);
        Timestamp then = store.runAggregation(COUNT).getReadTime();
        fixture.put(key, 2);
        Transaction transaction = store.newTransaction(TransactionOptions.newBuilder()
                .setReadOnly(TransactionOptions.ReadOnly.newBuilder().setReadTime(then.toProto()))
                .build());
        assertThat(transaction.get(key).getLong("n")).isOne();
        transaction.commit();
        assertThat(fixture.n(key)).isEqualTo(2);
    }

    @Test
    void aggregationsInsideATransactionSeeItsSnapshot() {
        fixture.put(key, 1);
        Transaction transaction = store.newTransaction();
        transaction.get(key);
        fixture.put(fixture.key("Counter", "z"), 1);
        assertThat(transaction.runAggregation(COUNT).get(0).getLong("n")).isOne();
        transaction.rollback();
    }

    @Test
    void aReadOnlyTransactionRefusesWrites() {
        Transaction transaction = store.newTransaction(READ_ONLY);
        transaction.put(counter(key, 1));
        refused("INVALID_ARGUMENT", transaction::commit);
        assertThat(store.get(key)).isNull();
    }

    @Test
    void aRollbackLeavesNothingBehind() {
        fixture.put(key, 1);
        Transaction transaction = store.newTransaction();
        transaction.put(counter(key, 5));
        transaction.rollback();
        assertThat(transaction.isActive()).isFalse();
        assertThat(fixture.n(key)).isOne();
    }

    @Test
    void deferredIdsAreGivenAtCommit() {
        Transaction transaction = store.newTransaction();
        transaction.addWithDeferredIdAllocation(FullEntity.newBuilder(fixture.kind("Counter").newKey()).set("n", 7).build());
        List<Key> given = transaction.commit().getGeneratedKeys();
        assertThat(given).hasSize(1);
        assertThat(fixture.n(given.get(0))).isEqualTo(7);
    }
}
