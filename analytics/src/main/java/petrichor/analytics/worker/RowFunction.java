package petrichor.analytics.worker;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBDataChunkWriter;
import org.duckdb.DuckDBTableFunction;
import org.duckdb.DuckDBTableFunctionBindInfo;
import org.duckdb.DuckDBTableFunctionCallInfo;
import org.duckdb.DuckDBTableFunctionInitInfo;
import org.jspecify.annotations.Nullable;
import petrichor.analytics.Wire;
import petrichor.tables.StoredColumn;

/**
 * DuckDB's table function that returns the rows of a load: the key, whether the row was removed,
 * and the columns. DuckDB calls it in several threads, each with a stream of its own.
 */
final class RowFunction implements DuckDBTableFunction<Loads.Load, Loads.Load, RowFunction.Reader> {
    static final String NAME = "petrichor_rows";
    static final String KEY = "__row";
    static final String REMOVED = "__removed";

    private final Loads loads;

    RowFunction(Loads loads) {
        this.loads = loads;
    }

    @Override
    public Loads.Load bind(DuckDBTableFunctionBindInfo info) throws SQLException {
        Loads.Load load;
        try (var id = info.getParameter(0)) {
            load = loads.find(id.getString());
        }
        info.addResultColumn(KEY, DuckDBColumnType.VARCHAR);
        info.addResultColumn(REMOVED, DuckDBColumnType.BOOLEAN);
        List<StoredColumn> columns = load.source.table().columns();
        for (int i = 0; i < columns.size(); i++) {
            ColumnTransfer.of(columns.get(i).type()).declare(info, "c" + i);
        }
        return load;
    }

    @Override
    public Loads.Load init(DuckDBTableFunctionInitInfo info) {
        Loads.Load load = info.getBindData();
        info.setMaxThreads(load.parts());
        return load;
    }

    @Override
    public Reader localInit(DuckDBTableFunctionInitInfo info) {
        return new Reader(info.getBindData());
    }

    @Override
    public long apply(DuckDBTableFunctionCallInfo info, DuckDBDataChunkWriter out)
            throws Exception {
        Reader reader = info.getLocalInitData();
        return reader.read(out);
    }

    /** One thread's part of a load. */
    static final class Reader {
        private final Loads.Load load;
        private final ColumnTransfer[] columns;
        private final RowValues rows;
        private final int prefixBytes;
        private @Nullable Wire stream;
        private int remaining;

        Reader(Loads.Load load) {
            this.load = load;
            this.rows = RowValues.of(load);
            this.prefixBytes = load.source.prefixBytes();
            this.columns =
                    load.source.table().columns().stream()
                            .map(column -> ColumnTransfer.of(column.type()))
                            .toArray(ColumnTransfer[]::new);
        }

        long read(DuckDBDataChunkWriter out) throws Exception {
            load.check.run();
            int capacity = (int) out.capacity();
            int row = 0;
            while (row < capacity && available()) {
                Wire open = stream;
                if (open == null) {
                    throw new EOFException();
                }
                row(open, out, row++);
                remaining--;
            }
            load.rows.addAndGet(row);
            return row;
        }

        private boolean available() throws IOException, InterruptedException {
            while (remaining == 0) {
                Wire open = stream;
                if (open == null) {
                    open = load.claim();
                    stream = open;
                    if (open == null) {
                        return false;
                    }
                }
                remaining = open.in().readInt();
                if (remaining == 0) {
                    open.close();
                    stream = null;
                }
            }
            return true;
        }

        private void row(Wire open, DuckDBDataChunkWriter out, int row) throws Exception {
            DataInputStream in = open.in();
            byte[] key = new byte[in.readInt()];
            in.readFully(key);
            out.vector(0).setString(row, text(key));
            int length = in.readInt();
            out.vector(1).setBoolean(row, length < 0);
            if (length < 0) {
                for (int i = 0; i < columns.length; i++) {
                    out.vector(2 + i).setNull(row);
                }
                return;
            }
            byte[] value = new byte[length];
            in.readFully(value);
            @Nullable Object[] values = rows.values(value);
            for (int i = 0; i < columns.length; i++) {
                columns[i].set(out.vector(2 + i), row, values[i]);
            }
        }

        private String text(byte[] key) {
            byte[] rest = Arrays.copyOfRange(key, prefixBytes, key.length);
            return Base64.getEncoder().withoutPadding().encodeToString(rest);
        }
    }
}
