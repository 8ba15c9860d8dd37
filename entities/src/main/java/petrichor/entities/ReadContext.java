package petrichor.entities;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import petrichor.transactions.RowReader;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;

/**
 * The version that a request reads: a snapshot of the request, or a transaction. Close it when the
 * response is complete. Confined to one thread.
 */
public final class ReadContext implements AutoCloseable {
    private final EntityDatabase database;
    private final RowReader reader;
    private final @Nullable Snapshot snapshot;
    private final @Nullable Transaction transaction;
    private final boolean atReadTime;
    private final boolean started;

    /** Whether ending the transaction is no longer the responsibility of this context. */
    private boolean settled;

    private ReadContext(
            EntityDatabase database,
            RowReader reader,
            @Nullable Snapshot snapshot,
            @Nullable Transaction transaction,
            boolean atReadTime,
            boolean started) {
        this.database = database;
        this.reader = reader;
        this.snapshot = snapshot;
        this.transaction = transaction;
        this.atReadTime = atReadTime;
        this.started = started;
    }

    static ReadContext at(EntityDatabase database, Snapshot snapshot) {
        return new ReadContext(database, snapshot, snapshot, null, false, false);
    }

    static ReadContext atReadTime(EntityDatabase database, Snapshot snapshot) {
        return new ReadContext(database, snapshot, snapshot, null, true, false);
    }

    /** A transaction that the client already knows; it outlives this context. */
    static ReadContext in(EntityDatabase database, Transaction transaction) {
        return new ReadContext(
                database, transaction, null, transaction, transaction.atReadTime(), false);
    }

    /** A transaction that this request started. */
    static ReadContext begin(EntityDatabase database, Transaction transaction) {
        return new ReadContext(
                database, transaction, null, transaction, transaction.atReadTime(), true);
    }

    /** Reads the newest state instead of the version of the read-write transaction. */
    ReadContext besideTransaction() {
        if (transaction == null || transaction.readOnly()) {
            return this;
        }
        Snapshot newest = database.rows().snapshot();
        return new ReadContext(database, newest, newest, transaction, false, started);
    }

    public EntityDatabase database() {
        return database;
    }

    public RowReader reader() {
        return reader;
    }

    /**
     * Whether the client chose the version being read: later changes, including a retry, do not
     * affect the result.
     */
    public boolean atReadTime() {
        return atReadTime;
    }

    /**
     * Id of the transaction that the request started, for the response; empty if it started none.
     * The transaction outlives this context only after this call: if the request failed before, no
     * client could end it.
     */
    public ByteString transaction() {
        if (transaction == null || !started) {
            return ByteString.EMPTY;
        }
        settled = true;
        return ByteString.copyFrom(transaction.id().toBytes());
    }

    /**
     * Ends the transaction, even one that the client started, because it cannot succeed any more:
     * its locks must not block the client's next attempt.
     */
    public void abandon() {
        if (transaction != null) {
            transaction.rollback();
        }
        settled = true;
    }

    @Override
    public void close() {
        if (snapshot != null) {
            snapshot.close();
        }
        if (transaction != null && started && !settled) {
            transaction.rollback();
        }
    }
}
