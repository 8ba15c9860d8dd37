package petrichor.clients.appengine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.ThreadManager;
import com.google.appengine.api.datastore.DatastoreService;
import com.google.appengine.api.datastore.DatastoreServiceFactory;
import com.google.appengine.api.datastore.Entity;
import com.google.appengine.api.datastore.EntityNotFoundException;
import com.google.appengine.api.datastore.FetchOptions;
import com.google.appengine.api.datastore.Key;
import com.google.appengine.api.datastore.KeyFactory;
import com.google.appengine.api.datastore.Query;
import com.google.appengine.api.datastore.Transaction;
import com.google.appengine.api.datastore.TransactionOptions;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Transactions of {@code com.google.appengine.api.datastore}. */
class TransactionsTest {
    private final App app = App.unique();
    private final DatastoreService store = DatastoreServiceFactory.getDatastoreService();

    private Key put(String name, long n) {
        return store.put(null, counter(KeyFactory.createKey("Counter", name), n));
    }

    private static Entity counter(Key key, long n) {
        Entity entity = new Entity(key);
        entity.setProperty("n", n);
        return entity;
    }

    private long n(Key key) throws EntityNotFoundException {
        return (long) store.get(null, key).getProperty("n");
    }

    private void increment(Transaction transaction, Key key) throws EntityNotFoundException {
        store.put(transaction, counter(key, (long) store.get(transaction, key).getProperty("n") + 1));
    }

    private void incrementUntilCommitted(Key key) throws EntityNotFoundException {
        while (true) {
            Transaction transaction = store.beginTransaction();
            try {
                increment(transaction, key);
                transaction.commit();
                return;
            } catch (ConcurrentModificationException conflict) {
                assertThat(conflict).hasMessageNotContaining("deadline");
            } finally {
                if (transaction.isActive()) {
                    transaction.rollback();
                }
            }
        }
    }

    @Test
    void writesAreVisibleAfterTheCommit() throws Exception {
        app.run(() -> {
            Key a = put("a", 1);
            Key b = put("b", 1);
            Transaction transaction = store.beginTransaction(TransactionOptions.Builder.withXG(true));
            increment(transaction, a);
            store.delete(transaction, b);
            assertThat(n(a)).isOne();
            assertThat(n(b)).isOne();
            transaction.commit();
            assertThat(n(a)).isEqualTo(2);
            assertThatThrownBy(() -> n(b)).isInstanceOf(EntityNotFoundException.class);
        });
    }

    @Test
    void aRollbackLeavesNothing() throws Exception {
        app.run(() -> {
            Key a = put("a", 1);
            Transaction transaction = store.beginTransaction();
            increment(transaction, a);
            transaction.rollback();
            assertThat(transaction.isActive()).isFalse();
            assertThat(n(a)).isOne();
        });
    }

    @Test
    void readsSeeTheStartOfTheTransaction() throws Exception {
        app.run(() -> {
            Key a = put("a", 1);
            Transaction transaction = store.beginTransaction();
            assertThat(store.get(transaction, a).getProperty("n")).isEqualTo(1L);
            put("a", 7);
            assertThat(store.get(transaction, a).getProperty("n")).isEqualTo(1L);
            store.put(transaction, counter(a, 2));
            assertThat(store.get(transaction, a).getProperty("n")).as("its own write is not visible").isEqualTo(1L);
            assertThatThrownBy(transaction::commit).isInstanceOf(ConcurrentModificationException.class);
            assertThat(n(a)).isEqualTo(7);
        });
    }

    @Test
    void concurrentIncrementsAllCount() throws Exception {
        app.run(() -> {
            Key a = put("a", 0);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                threads.add(ThreadManager.createThreadForCurrentRequest(() -> {
                    try {
                        incrementUntilCommitted(a);
                    } catch (EntityNotFoundException missing) {
                        throw new AssertionError(missing);
                    }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(n(a)).isEqualTo(8);
        });
    }

    @Test
    void aPhantomIsAConflict() throws Exception {
        app.run(() -> {
            Key parent = KeyFactory.createKey("Parent", "p");
            Transaction transaction = store.beginTransaction();
            Query children = new Query("Child", parent);
            int count = store.prepare(transaction, children).countEntities(FetchOptions.Builder.withDefaults());
            store.put(null, new Entity("Child", "phantom", parent));
            store.put(transaction, counter(KeyFactory.createKey(parent, "Count", "c"), count));
            assertThatThrownBy(transaction::commit).isInstanceOf(ConcurrentModificationException.class);
        });
    }

    @Test
    void idsAreAssignedInATransaction() throws Exception {
        app.run(() -> {
            Transaction transaction = store.beginTransaction();
            Key key = store.put(transaction, new Entity("Counter"));
            assertThat(key.isComplete()).isTrue();
            transaction.commit();
            assertThat(store.get(key).getKey()).isEqualTo(key);
        });
    }

    @Test
    void theCurrentTransactionIsImplicit() throws Exception {
        app.run(() -> {
            Key a = put("a", 1);
            Transaction transaction = store.beginTransaction();
            assertThat(store.getCurrentTransaction()).isEqualTo(transaction);
            store.put(counter(a, 5));
            assertThat(n(a)).isOne();
            transaction.commit();
            assertThat(n(a)).isEqualTo(5);
            assertThat(store.getActiveTransactions()).isEmpty();
        });
    }

    @Test
    void readOnlyTransactionsCannotWrite() throws Exception {
        app.run(() -> {
            Key a = put("a", 1);
            Transaction reading = store.beginTransaction(
                    TransactionOptions.Builder.withTransactionMode(TransactionOptions.Mode.READ_ONLY));
            assertThat(store.get(reading, a).getProperty("n")).isEqualTo(1L);
            assertThatThrownBy(() -> store.put(reading, counter(a, 2))).isInstanceOf(IllegalArgumentException.class);
            reading.commit();
            assertThat(n(a)).isOne();
        });
    }

    @Test
    void aRetryNamesThePreviousTransaction() throws Exception {
        app.run(() -> {
            Key a = put("a", 1);
            Transaction failed = store.beginTransaction();
            increment(failed, a);
            put("a", 10);
            assertThatThrownBy(failed::commit).isInstanceOf(ConcurrentModificationException.class);
            Transaction retry =
                    store.beginTransaction(TransactionOptions.Builder.withPreviousTransaction(failed));
            increment(retry, a);
            retry.commit();
            assertThat(n(a)).isEqualTo(11);
        });
    }

    @Test
    void asynchronousCommits() throws Exception {
        app.run(() -> {
            Key a = put("a", 1);
            Transaction transaction = store.beginTransaction();
            increment(transaction, a);
            transaction.commitAsync().get();
            assertThat(n(a)).isEqualTo(2);
        });
    }
}
