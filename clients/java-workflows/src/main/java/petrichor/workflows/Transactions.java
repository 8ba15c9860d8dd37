package petrichor.workflows;

import com.google.cloud.ServiceOptions;
import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.DatastoreException;
import com.google.cloud.datastore.DatastoreOptions;
import com.google.cloud.datastore.Transaction;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/** Transactions that are repeated after conflicts. Thread-safe. */
final class Transactions {
    private static final int ATTEMPTS = 20;
    private static final int PAUSE_MILLIS_MAX = 200;
    private static final int ABORTED = 10; // of google.rpc.Code

    private final Datastore datastore;

    /** Without the client's own retries: it would commit a transaction again that has lost, after pauses of seconds. */
    Transactions(Datastore datastore) {
        DatastoreOptions.Builder options = datastore.getOptions().toBuilder();
        this.datastore = options.setRetrySettings(ServiceOptions.getNoRetrySettings()).build().getService();
    }

    void run(Consumer<Transaction> change) {
        for (int attempt = 1; ; attempt++) {
            Transaction transaction = datastore.newTransaction();
            try {
                change.accept(transaction);
                transaction.commit();
                return;
            } catch (DatastoreException failed) {
                if (failed.getCode() != ABORTED || attempt == ATTEMPTS) {
                    throw failed;
                }
            } finally {
                rollback(transaction);
            }
            pause(attempt);
        }
    }

    private static void rollback(Transaction transaction) {
        try {
            if (transaction.isActive()) {
                transaction.rollback();
            }
        } catch (DatastoreException gone) {
            // The server ends it.
        }
    }

    private static void pause(int attempt) {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextInt(Math.min(PAUSE_MILLIS_MAX, 2 << attempt)));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted between attempts of a transaction", interrupted);
        }
    }
}
