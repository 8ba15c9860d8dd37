package petrichor.entities;

import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.TransactionOptions;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;

/** Opens read contexts from the read and transaction options of requests. Thread-safe. */
public final class ReadContexts {
    private final EntityDatabases databases;
    private final Concurrency concurrency;

    /** Concurrency control for read-write transactions of clients. */
    public enum Concurrency {
        /** The second of two conflicting commits fails. */
        OPTIMISTIC,
        /** The second reader or writer waits. */
        PESSIMISTIC
    }

    public ReadContexts(EntityDatabases databases, Concurrency concurrency) {
        this.databases = databases;
        this.concurrency = concurrency;
    }

    /** Opens the context that the options request; eventual reads are served as strong ones. */
    public ReadContext open(String project, String databaseId, ReadOptions options) {
        EntityDatabase database = databases.open(project, databaseId);
        return switch (options.getConsistencyTypeCase()) {
            case READ_CONSISTENCY, CONSISTENCYTYPE_NOT_SET ->
                    ReadContext.at(database, database.rows().snapshot());
            case READ_TIME ->
                    ReadContext.atReadTime(
                            database, database.rows().snapshotAt(readTime(options.getReadTime())));
            case TRANSACTION ->
                    ReadContext.in(database, transaction(database, options.getTransaction()));
            case NEW_TRANSACTION ->
                    ReadContext.begin(database, begin(database, options.getNewTransaction()));
        };
    }

    /**
     * Like {@link #open}, but in a namespace without transactions, a read-write transaction reads
     * the newest state and neither locks nor validates it.
     */
    public ReadContext open(
            String project, String databaseId, ReadOptions options, String namespace) {
        ReadContext context = open(project, databaseId, options);
        return Namespaces.withoutTransactions(namespace) ? context.besideTransaction() : context;
    }

    Transaction begin(EntityDatabase database, TransactionOptions options) {
        return database.rows()
                .begin(
                        switch (options.getModeCase()) {
                            case READ_WRITE ->
                                    readWrite(options.getReadWrite().getPreviousTransaction());
                            case MODE_NOT_SET -> readWrite(ByteString.EMPTY);
                            case READ_ONLY ->
                                    new petrichor.transactions.TransactionOptions.ReadOnly(
                                            options.getReadOnly().hasReadTime()
                                                    ? readTime(options.getReadOnly().getReadTime())
                                                    : 0);
                        });
    }

    private petrichor.transactions.TransactionOptions readWrite(ByteString previous) {
        @Nullable TransactionId id = previous.isEmpty() ? null : parse(previous);
        return switch (concurrency) {
            case OPTIMISTIC -> new petrichor.transactions.TransactionOptions.Optimistic(id);
            case PESSIMISTIC -> new petrichor.transactions.TransactionOptions.Pessimistic(id);
        };
    }

    static Transaction transaction(EntityDatabase database, ByteString id) {
        return database.rows().transaction(parse(id));
    }

    static void rollback(EntityDatabase database, ByteString id) {
        database.rows().rollback(parse(id));
    }

    private static TransactionId parse(ByteString id) {
        return TransactionId.parse(id.toByteArray())
                .orElseThrow(
                        () ->
                                PetrichorException.invalid(
                                        "The transaction identifier is invalid: it was not returned"
                                                + " by this server."));
    }

    private static long readTime(Timestamp time) {
        long micros = ValueCodec.micros(time);
        if (!ValueCodec.timestamp(micros).equals(time)) {
            throw PetrichorException.invalid(
                    "read_time must have microsecond precision: its nanoseconds must be a multiple"
                            + " of 1000.");
        }
        return micros;
    }
}
