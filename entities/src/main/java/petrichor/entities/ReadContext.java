package petrichor.entities;

import com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import petrichor.transactions.RowReader;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;

/**
 * Where one request reads: at a snapshot of its own, or in a transaction. Close it when the answer
 * is complete. Belongs to one thread.
 */
public final class ReadContext implements AutoCloseable {
    private final EntityDatabase database;
    private final RowReader reader;
    private final @Nullable Snapshot snapshot;
    private final @Nullable Transaction begun;
    private boolean handedOut;

    private ReadContext(
            EntityDatabase database,
            RowReader reader,
            @Nullable Snapshot snapshot,
            @Nullable Transaction begun) {
        this.database = database;
        this.reader = reader;
        this.snapshot = snapshot;
        this.begun = begun;
    }

    static ReadContext at(EntityDatabase database, Snapshot snapshot) {
        return new ReadContext(database, snapshot, snapshot, null);
    }

    /** A transaction that the client knows; it outlives this context. */
    static ReadContext in(EntityDatabase database, Transaction transaction) {
        return new ReadContext(database, transaction, null, null);
    }

    /** A transaction that this request began. */
    static ReadContext begin(EntityDatabase database, Transaction transaction) {
        return new ReadContext(database, transaction, null, transaction);
    }

    public EntityDatabase database() {
        return database;
    }

    public RowReader reader() {
        return reader;
    }

    /**
     * Id of the transaction that the request began, for the response; empty if it began none. Only
     * once this was called does the transaction outlive this context: if the request fails before,
     * nobody could end it.
     */
    public ByteString transaction() {
        if (begun == null) {
            return ByteString.EMPTY;
        }
        handedOut = true;
        return ByteString.copyFrom(begun.id().toBytes());
    }

    @Override
    public void close() {
        if (snapshot != null) {
            snapshot.close();
        }
        if (begun != null && !handedOut) {
            begun.rollback();
        }
    }
}
