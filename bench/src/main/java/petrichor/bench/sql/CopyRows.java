package petrichor.bench.sql;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Loads rows with {@code COPY}, in commands of limited size, each of which is a transaction. Its
 * connection commits automatically. Confined to one thread.
 */
public final class CopyRows {
    private final PGConnection connection;
    private final int rowsMax;
    private final StringBuilder rows = new StringBuilder();
    private String target = "";
    private int count;

    /**
     * @param rowsMax of one command
     */
    public CopyRows(Connection connection, int rowsMax) throws SQLException {
        this.connection = connection.unwrap(PGConnection.class);
        this.rowsMax = rowsMax;
    }

    /** Sends the rows before, and begins another table. */
    public void begin(String tableAndColumns) throws SQLException {
        end();
        target = tableAndColumns;
    }

    /**
     * @param values without characters that the text format escapes; null is NULL
     */
    public void add(@Nullable Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            rows.append(i == 0 ? "" : "\t").append(values[i] == null ? "\\N" : values[i]);
        }
        rows.append('\n');
        if (++count == rowsMax) {
            end();
        }
    }

    public void end() throws SQLException {
        if (count == 0) {
            return;
        }
        byte[] bytes = rows.toString().getBytes(StandardCharsets.UTF_8);
        CopyIn copy = connection.getCopyAPI().copyIn("COPY " + target + " FROM STDIN");
        copy.writeToCopy(bytes, 0, bytes.length);
        copy.endCopy();
        rows.setLength(0);
        count = 0;
    }
}
