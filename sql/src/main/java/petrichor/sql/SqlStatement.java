package petrichor.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.tables.ColumnType;

/**
 * A prepared statement. Survives schema changes: it is prepared again when needed. Confined to the
 * thread of its session.
 */
public final class SqlStatement implements AutoCloseable {
    SqlStatement() {}

    /** Types of {@code $1}, {@code $2}, …: declared or inferred. */
    public List<ColumnType> parameterTypes() {
        throw new UnsupportedOperationException();
    }

    /** Columns of its result; empty if it returns no rows. */
    public List<ResultColumn> columns() {
        throw new UnsupportedOperationException();
    }

    public StatementResult execute(List<@Nullable Object> parameters) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
