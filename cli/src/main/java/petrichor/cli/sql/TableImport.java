package petrichor.cli.sql;

import java.io.IOException;
import java.io.StringReader;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cli.sql.ImportedRows.Row;
import petrichor.cli.sql.ImportedRows.Unreadable;
import petrichor.cli.sql.ImportedRows.Values;
import petrichor.cli.sql.Relations.Relation;
import petrichor.cli.sql.Relations.TableColumn;

/**
 * Imports rows into a table with {@code COPY}, in transactions of {@link #BATCH_ROWS} rows. A batch
 * that fails is halved until the rows that the server refuses are found. Confined to one thread.
 */
public final class TableImport {
    static final int BATCH_ROWS = 1_000;

    /** Rows that decide the types of a new table. */
    static final int SAMPLE_ROWS = 10_000;

    private static final int ATTEMPTS_MAX = 5;

    /** What happens to the table before the import. */
    public enum Preparation {
        /** Create the table unless it exists. */
        AS_NEEDED,
        /** Create the table; it must not exist. */
        CREATE,
        /** Delete the rows of the table; it must exist. */
        TRUNCATE
    }

    /**
     * What to import.
     *
     * @param key columns of the primary key of a new table
     * @param from first line to import, for an import that was stopped
     */
    public record Request(String table, Preparation preparation, List<String> key, long from) {}

    /**
     * A row that was not imported.
     *
     * @param source its text
     */
    public record Rejected(long line, String reason, String source) {}

    /** Receives rejected rows; false stops the import. */
    @FunctionalInterface
    public interface Rejects {
        boolean accept(Rejected row) throws IOException;
    }

    /**
     * Result of an import.
     *
     * @param stopped the row at which it stopped; all rows before it are stored
     */
    public record Outcome(
            String table, boolean created, long rows, long rejected, Optional<Rejected> stopped) {}

    private final BaseConnection connection;
    private final Request request;
    private final ImportedRows input;
    private final Rejects rejects;
    private final LongConsumer progress;
    private long rows;
    private long rejected;
    private @Nullable Rejected stopped;
    private String copy = "";
    private int width;

    /**
     * @param progress receives the number of rows after each batch
     */
    public TableImport(
            BaseConnection connection,
            Request request,
            ImportedRows input,
            Rejects rejects,
            LongConsumer progress) {
        this.connection = connection;
        this.request = request;
        this.input = input;
        this.rejects = rejects;
        this.progress = progress;
    }

    /**
     * Imports all rows.
     *
     * @throws PetrichorException if the table cannot be used, or the server fails
     */
    public Outcome run() throws IOException {
        try {
            List<Row> sample = new ArrayList<>();
            for (Row row = input.next();
                    row != null;
                    row = sample.size() < SAMPLE_ROWS ? input.next() : null) {
                sample.add(row);
            }
            Relations relations = new Relations(connection);
            Optional<Relation> table = Descriptions.named(relations.all(), request.table());
            boolean created = table.isEmpty();
            String name = created ? create(sample) : prepared(table.get());
            List<String> names =
                    created
                            ? input.columns()
                            : existing(relations.columns(table.get()), input.columns());
            width = names.size();
            copy =
                    "COPY "
                            + name
                            + " ("
                            + String.join(", ", names.stream().map(Relations::quoted).toList())
                            + ") FROM STDIN";
            load(sample);
            return new Outcome(name, created, rows, rejected, Optional.ofNullable(stopped));
        } catch (SQLException failed) {
            throw failure(SqlFailure.of(failed, ""));
        }
    }

    private static PetrichorException failure(SqlFailure failed) {
        return PetrichorException.of(
                failed.sqlState().startsWith("08") ? ErrorCode.UNAVAILABLE : ErrorCode.INTERNAL,
                "the server refused the import with {sqlState}: {reason}",
                "sqlState",
                failed.sqlState(),
                "reason",
                failed.text());
    }

    private String create(List<Row> sample) throws SQLException {
        if (request.preparation() == Preparation.TRUNCATE) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "there is no table {table} to truncate",
                    "table",
                    request.table());
        }
        List<String> columns = input.columns();
        if (columns.isEmpty()) {
            throw PetrichorException.invalid(
                    "the file has no columns, so the table {table} cannot be created",
                    "table",
                    request.table());
        }
        InferredType[] types = new InferredType[columns.size()];
        java.util.Arrays.fill(types, InferredType.NONE);
        for (Row row : sample) {
            if (row instanceof Values values) {
                for (int i = 0; i < values.cells().size(); i++) {
                    types[i] = types[i].with(values.cells().get(i));
                }
            }
        }
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < types.length; i++) {
            parts.add(Relations.quoted(columns.get(i)) + " " + types[i].sql());
        }
        if (!request.key().isEmpty()) {
            parts.add(
                    "PRIMARY KEY ("
                            + String.join(
                                    ", ", request.key().stream().map(Relations::quoted).toList())
                            + ")");
        }
        execute("CREATE TABLE " + request.table() + " (" + String.join(", ", parts) + ")");
        return request.table();
    }

    private String prepared(Relation table) throws SQLException {
        if (request.preparation() == Preparation.CREATE) {
            throw PetrichorException.of(
                    ErrorCode.ALREADY_EXISTS,
                    "the table {table} exists already; import without --create to add rows to it",
                    "table",
                    table.sql());
        }
        if (request.preparation() == Preparation.TRUNCATE) {
            execute("TRUNCATE TABLE " + table.sql());
        }
        return table.sql();
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The table's columns for those of the file; their case may differ. */
    private List<String> existing(List<TableColumn> columns, List<String> wanted) {
        List<String> names = new ArrayList<>();
        for (String name : wanted) {
            names.add(
                    columns.stream()
                            .map(TableColumn::name)
                            .filter(known -> known.equalsIgnoreCase(name))
                            .min(java.util.Comparator.comparing(known -> !known.equals(name)))
                            .orElseThrow(
                                    () ->
                                            PetrichorException.of(
                                                    ErrorCode.NOT_FOUND,
                                                    "the table {table} has no column {column}; it"
                                                            + " has {columns}",
                                                    "table",
                                                    request.table(),
                                                    "column",
                                                    name,
                                                    "columns",
                                                    String.join(
                                                            ", ",
                                                            columns.stream()
                                                                    .map(TableColumn::name)
                                                                    .toList()))));
        }
        return names;
    }

    private void load(List<Row> sample) throws SQLException, IOException {
        List<Values> batch = new ArrayList<>();
        for (Row row : sample) {
            add(row, batch);
        }
        sample.clear();
        for (Row row = input.next(); row != null && stopped == null; row = input.next()) {
            add(row instanceof Values values ? checked(values) : row, batch);
        }
        if (stopped == null) {
            send(batch);
        }
    }

    /** A JSON object may have a member that the first rows did not have. */
    private Row checked(Values row) {
        for (int i = width; i < row.cells().size(); i++) {
            if (row.cells().get(i) != null) {
                return new Unreadable(
                        row.line(),
                        input.columns().get(i)
                                + " is not a column of the first rows; name the columns with"
                                + " --columns",
                        row.source());
            }
        }
        return row;
    }

    private void add(Row row, List<Values> batch) throws SQLException, IOException {
        if (row.line() < request.from() || stopped != null) {
            return;
        }
        switch (row) {
            case Values values -> {
                batch.add(values);
                if (batch.size() == BATCH_ROWS) {
                    send(batch);
                    batch.clear();
                }
            }
            case Unreadable(long line, String reason, String source) -> {
                send(batch);
                batch.clear();
                reject(new Rejected(line, reason, source));
            }
        }
    }

    private void reject(Rejected row) throws IOException {
        if (stopped == null) {
            if (rejects.accept(row)) {
                rejected++;
            } else {
                stopped = row;
            }
        }
    }

    /** Stores the rows in their order, as far as the first one that stops the import. */
    private void send(List<Values> batch) throws SQLException, IOException {
        if (batch.isEmpty() || stopped != null) {
            return;
        }
        Optional<SqlFailure> failed = copied(batch);
        if (failed.isEmpty()) {
            rows += batch.size();
            progress.accept(rows);
        } else if (batch.size() == 1) {
            Values row = batch.getFirst();
            String reason = failed.get().sqlState() + ": " + failed.get().text();
            reject(new Rejected(row.line(), reason, row.source()));
        } else {
            int half = batch.size() / 2;
            send(batch.subList(0, half));
            send(batch.subList(half, batch.size()));
        }
    }

    /** Conflicts with other transactions are repeated; a lost connection ends the import. */
    private Optional<SqlFailure> copied(List<Values> batch) throws SQLException, IOException {
        String text = text(batch);
        for (int attempt = 1; ; attempt++) {
            try {
                connection.setAutoCommit(false);
                new CopyManager(connection).copyIn(copy, new StringReader(text));
                connection.commit();
                return Optional.empty();
            } catch (SQLException failed) {
                if (!connection.isClosed()) {
                    connection.rollback();
                }
                SqlFailure failure = SqlFailure.of(failed, "");
                boolean conflict = failure.sqlState().equals("40001");
                if (failure.endsConnection() || connection.isClosed()) {
                    throw failed;
                }
                if (!conflict) {
                    return Optional.of(failure);
                }
                if (attempt == ATTEMPTS_MAX) {
                    throw failed;
                }
            }
        }
    }

    /** Rows in the text format of COPY. */
    private String text(List<Values> batch) {
        StringBuilder text = new StringBuilder();
        for (Values row : batch) {
            for (int i = 0; i < width; i++) {
                // A JSON object may lack the last members.
                String cell = i < row.cells().size() ? row.cells().get(i) : null;
                text.append(i == 0 ? "" : "\t").append(cell == null ? "\\N" : escaped(cell));
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static String escaped(String cell) {
        return cell.replace("\\", "\\\\")
                .replace("\n", "\\n")
                .replace("\r", "\\r")
                .replace("\t", "\\t");
    }

    /** Summary of the speed, such as 12,000 rows/s. */
    public static String speed(long rows, double seconds) {
        return String.format(Locale.ROOT, "%,.0f rows/s", rows / Math.max(seconds, 1e-3));
    }
}
