package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.ResultColumn;
import petrichor.sql.RowIterator;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;

/** Rows as one array per column, which a query reads as parameters. Confined to one thread. */
public final class RowArrays {
    private final List<ResultColumn> columns;
    private final List<List<@Nullable Object>> values = new ArrayList<>();

    public RowArrays(List<ResultColumn> columns) {
        this.columns = List.copyOf(columns);
        columns.forEach(_ -> values.add(new ArrayList<>()));
    }

    /** Adds the current row. */
    public void add(RowIterator row) {
        for (int i = 0; i < columns.size(); i++) {
            values.get(i).add(row.value(i));
        }
    }

    public List<List<@Nullable Object>> values() {
        return values;
    }

    /**
     * A query that returns the rows.
     *
     * @param first number of the parameter with the first column
     */
    public String query(int first) {
        StringBuilder text = new StringBuilder("SELECT ");
        for (int i = 0; i < columns.size(); i++) {
            text.append(i == 0 ? "" : ", ").append('c').append(i + 1);
            text.append(json(columns.get(i)) ? " FORMAT JSON" : "");
        }
        text.append(" FROM UNNEST(");
        for (int i = 0; i < columns.size(); i++) {
            String type = json(columns.get(i)) ? "VARCHAR" : type(columns.get(i).type());
            text.append(i == 0 ? "" : ", ");
            text.append("CAST($").append(first + i).append(" AS ").append(type).append(" ARRAY)");
        }
        text.append(") AS r (");
        for (int i = 0; i < columns.size(); i++) {
            text.append(i == 0 ? "" : ", ").append('c').append(i + 1);
        }
        return text.append(')').toString();
    }

    private static boolean json(ResultColumn column) {
        return column.type().type() == DataType.JSON;
    }

    /** A query with columns of the same types. */
    public static String nulls(List<ResultColumn> columns) {
        StringBuilder text = new StringBuilder("SELECT ");
        for (int i = 0; i < columns.size(); i++) {
            text.append(i == 0 ? "CAST(NULL AS " : ", CAST(NULL AS ");
            text.append(type(columns.get(i).type())).append(')');
        }
        return text.toString();
    }

    /** The names of the columns as a list in parentheses. */
    public static String names(List<ResultColumn> columns) {
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < columns.size(); i++) {
            String name = columns.get(i).name().replace("\"", "\"\"");
            text.append(i == 0 ? "\"" : ", \"").append(name).append('"');
        }
        return text.append(')').toString();
    }

    private static String type(ColumnType type) {
        ColumnType element = type.element();
        return switch (type.type()) {
            case BOOLEAN -> "BOOLEAN";
            case SMALLINT -> "SMALLINT";
            case INTEGER -> "INTEGER";
            case BIGINT -> "BIGINT";
            case NUMERIC ->
                    type.length() > 0
                            ? "NUMERIC(" + type.length() + ", " + type.scale() + ")"
                            : "DECFLOAT";
            case REAL -> "REAL";
            case DOUBLE -> "DOUBLE PRECISION";
            case CHAR, VARCHAR, TEXT, UNKNOWN -> "VARCHAR";
            case BYTEA -> "VARBINARY";
            case DATE -> "DATE";
            case TIME -> "TIME(9)";
            case TIMETZ -> "TIME(9) WITH TIME ZONE";
            case TIMESTAMP -> "TIMESTAMP(9)";
            case TIMESTAMPTZ -> "TIMESTAMP(9) WITH TIME ZONE";
            case UUID -> "UUID";
            case JSON -> "JSON";
            case ARRAY -> (element == null ? "VARCHAR" : type(element)) + " ARRAY";
            case INTERVAL ->
                    throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "RETURNING of an interval inside WITH: not supported");
        };
    }
}
