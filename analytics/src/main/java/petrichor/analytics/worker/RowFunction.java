package petrichor.analytics.worker;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.sql.SQLException;
import java.util.List;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBDataChunkWriter;
import org.duckdb.DuckDBTableFunction;
import org.duckdb.DuckDBTableFunctionBindInfo;
import org.duckdb.DuckDBTableFunctionCallInfo;
import org.duckdb.DuckDBTableFunctionInitInfo;
import org.duckdb.DuckDBWritableVector;
import org.jspecify.annotations.Nullable;
import petrichor.analytics.Wire;
import petrichor.tables.StoredColumn;

/**
 * DuckDB's table function that returns the rows of a load: the number of the key, whether the row
 * was removed, and the columns. DuckDB calls it in several threads, each with a stream of its own.
 */
final class RowFunction implements DuckDBTableFunction<Loads.Load, Loads.Load, RowFunction.Reader> {
    static final String NAME = "petrichor_rows";
    static final String HIGH = "__high";
    static final String LOW = "__low";
    static final String REMOVED = "__removed";

    /** Columns before those of the table. */
    private static final int COLUMNS_BEFORE = 3;

    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

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
        info.addResultColumn(HIGH, DuckDBColumnType.BIGINT);
        info.addResultColumn(LOW, DuckDBColumnType.BIGINT);
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
        private final RowValues rows;
        private final ChunkSink values;
        private final RowNumber number = new RowNumber();
        private final int prefixBytes;
        private @Nullable Wire stream;
        private byte[] block = {};
        private int at;
        private int remaining;

        Reader(Loads.Load load) {
            this.load = load;
            this.rows = RowValues.of(load);
            this.values = new ChunkSink(load.source.table().columns());
            this.prefixBytes = load.source.prefixBytes();
        }

        long read(DuckDBDataChunkWriter out) throws Exception {
            load.check.run();
            int capacity = (int) out.capacity();
            DuckDBWritableVector high = out.vector(0);
            DuckDBWritableVector low = out.vector(1);
            DuckDBWritableVector removed = out.vector(2);
            values.begin(out, COLUMNS_BEFORE);
            int row = 0;
            try {
                while (row < capacity && available()) {
                    int length = takeInt();
                    var _ = number.of(block, at + prefixBytes, length - prefixBytes);
                    at += length;
                    high.setLong(row, number.high());
                    low.setLong(row, number.low());
                    length = takeInt();
                    removed.setBoolean(row, length < 0);
                    values.row(row);
                    if (length < 0) {
                        for (int i = 0; i < load.source.table().columns().size(); i++) {
                            values.nullValue(i);
                        }
                    } else {
                        rows.decode(block, at, at + length, values);
                        at += length;
                    }
                    row++;
                    remaining--;
                }
            } catch (ChunkSink.UnfitValue unfit) {
                throw unfit.reason();
            }
            values.end(row);
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
                } else {
                    block = open.takeBytes(block);
                    at = 0;
                }
            }
            return true;
        }

        private int takeInt() {
            int taken = (int) INT.get(block, at);
            at += Integer.BYTES;
            return taken;
        }
    }
}
