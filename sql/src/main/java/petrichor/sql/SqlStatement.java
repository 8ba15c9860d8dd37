package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.H2Session;
import petrichor.sql.h2.JsonText;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;

/**
 * A prepared statement. Survives schema changes: it is prepared again when needed. Confined to the
 * thread of its session.
 */
public final class SqlStatement implements AutoCloseable {
    private final SqlSession session;
    private final String text;
    private final List<ColumnType> parameterTypes;
    private final List<ResultColumn> columns;

    SqlStatement(
            SqlSession session,
            String text,
            List<ColumnType> declared,
            H2Session.Description description) {
        this.session = session;
        this.text = text;
        this.columns = description.columns();
        List<ColumnType> types = new ArrayList<>(description.parameters());
        for (int i = 0; i < declared.size(); i++) {
            if (i >= types.size()) {
                types.add(declared.get(i));
            } else if (declared.get(i).type() != DataType.UNKNOWN) {
                types.set(i, declared.get(i));
            }
        }
        this.parameterTypes = List.copyOf(types);
    }

    /** Types of {@code $1}, {@code $2}, …: declared or inferred. */
    public List<ColumnType> parameterTypes() {
        return parameterTypes;
    }

    /** Columns of its result; empty if it returns no rows. */
    public List<ResultColumn> columns() {
        return columns;
    }

    public StatementResult execute(List<@Nullable Object> parameters) {
        return session.execute(text, typed(parameters));
    }

    /** H2 would take a text for a JSON string. */
    private List<@Nullable Object> typed(List<@Nullable Object> parameters) {
        List<@Nullable Object> typed = new ArrayList<>(parameters);
        for (int i = 0; i < Math.min(typed.size(), parameterTypes.size()); i++) {
            boolean json = parameterTypes.get(i).type() == DataType.JSON;
            if (json && typed.get(i) instanceof String written) {
                typed.set(i, new JsonText(written));
            }
        }
        return typed;
    }

    @Override
    public void close() {
        // Nothing is held: H2 keeps plans by their text.
    }
}
