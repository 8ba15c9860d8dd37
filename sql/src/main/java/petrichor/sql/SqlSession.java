package petrichor.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.tables.ColumnType;

/**
 * A connection's state: its transaction, settings and prepared statements. Confined to one thread,
 * except {@link #cancel}. Failures are {@link SqlException}.
 *
 * <p>A statement outside of BEGIN … COMMIT is a transaction of its own, which is retried if it
 * conflicts; inside, a conflict is reported as 40001 and the client retries. A statement that fails
 * has no effect. After a failure inside a transaction, only ROLLBACK and ROLLBACK TO SAVEPOINT are
 * accepted.
 */
public final class SqlSession implements AutoCloseable {
    SqlSession(SqlDatabase database, String user) {}

    /**
     * Executes one statement, with parameters {@code $1}, {@code $2}, …
     *
     * @param parameters of the classes that {@link petrichor.tables.DataType} names
     */
    public StatementResult execute(String text, @Nullable Object... parameters) {
        throw new UnsupportedOperationException();
    }

    /**
     * @param parameterTypes types that the client declares; UNKNOWN or missing ones are inferred
     */
    public SqlStatement prepare(String text, List<ColumnType> parameterTypes) {
        throw new UnsupportedOperationException();
    }

    public TransactionStatus transactionStatus() {
        throw new UnsupportedOperationException();
    }

    /**
     * Starts an implicit transaction block: the statements up to {@link #endImplicitBlock} are one
     * transaction, as those of one Query message, or those between two Syncs. BEGIN inside makes
     * the block an explicit one; COMMIT and ROLLBACK end it. No effect inside BEGIN … COMMIT.
     */
    public void beginImplicitBlock() {
        throw new UnsupportedOperationException();
    }

    /**
     * Commits the implicit block, or rolls it back if a statement failed. No effect if there is
     * none.
     */
    public void endImplicitBlock() {
        throw new UnsupportedOperationException();
    }

    /** From any thread: the running statement fails with 57014. No effect if none is running. */
    public void cancel() {
        throw new UnsupportedOperationException();
    }

    /** Value of a session variable such as {@code TimeZone}; null if there is none. */
    public @Nullable String setting(String name) {
        throw new UnsupportedOperationException();
    }

    /** Rolls back an open transaction. */
    @Override
    public void close() {}
}
