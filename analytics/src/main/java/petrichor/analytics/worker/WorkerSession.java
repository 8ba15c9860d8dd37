package petrichor.analytics.worker;

import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;
import petrichor.analytics.SegmentSource;
import petrichor.analytics.Wire;
import petrichor.sql.SqlState;
import petrichor.sql.entities.PropertyType;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;
import petrichor.tables.TableTransfer;

/**
 * Executes the commands of one connection. A second thread reads them, so that a cancellation and
 * the end of the connection interrupt the one that runs.
 */
final class WorkerSession implements AutoCloseable {
    /** The server waits for the answer of a command before it sends another. */
    private static final int COMMANDS_MAX = 4;

    private static final ScheduledExecutorService TIMEOUTS =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("timeouts").factory());

    private final Wire wire;
    private final DuckDatabases.Opened opened;
    private final DuckDBConnection connection;
    private final Segments segments;
    private final BlockingQueue<Optional<Command>> commands =
            new ArrayBlockingQueue<>(COMMANDS_MAX);
    private volatile @Nullable Statement running;
    private volatile boolean canceled;
    private volatile boolean timedOut;

    WorkerSession(Wire wire, DuckDatabases.Opened opened, Loads loads) throws SQLException {
        this.wire = wire;
        this.opened = opened;
        this.connection = opened.connection();
        this.segments = new Segments(this, loads, opened);
    }

    /** Returns when the connection has ended. */
    void run() throws IOException {
        Thread.ofPlatform().daemon().name("commands").start(this::read);
        try {
            for (Optional<Command> next = commands.take();
                    next.isPresent();
                    next = commands.take()) {
                execute(next.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void read() {
        try {
            while (true) {
                int tag = wire.in().readByte();
                if (tag == Wire.CANCEL) {
                    cancel();
                } else {
                    commands.put(Optional.of(Command.read(tag, wire)));
                }
            }
        } catch (IOException ended) {
            cancel();
            commands.clear();
            commands.add(Optional.empty());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void cancel() {
        canceled = true;
        Statement statement = running;
        if (statement != null) {
            try {
                statement.cancel();
            } catch (SQLException ended) {
                // It has ended.
            }
        }
    }

    private void execute(Command command) throws IOException {
        timedOut = false;
        ScheduledFuture<?> timeout =
                command.timeoutMs() == 0
                        ? null
                        : TIMEOUTS.schedule(
                                () -> {
                                    timedOut = true;
                                    cancel();
                                },
                                command.timeoutMs(),
                                TimeUnit.MILLISECONDS);
        try {
            switch (command) {
                case Command.Rows rows -> done(segments.load(rows));
                case Command.Drop drop -> {
                    segments.drop(drop.segment());
                    done(0);
                }
                case Command.Query query -> query(query);
            }
        } catch (SQLException failed) {
            fail(failed);
        } finally {
            if (timeout != null) {
                timeout.cancel(false);
            }
        }
        wire.out().flush();
    }

    private void done(long rows) throws IOException, SQLException {
        wire.out().writeByte(Wire.DONE);
        wire.out().writeLong(rows);
        wire.out().writeLong(segments.bytes());
    }

    private void fail(SQLException failed) throws IOException {
        if (failed instanceof MisfitsFound found) {
            wire.out().writeByte(Wire.MISFITS);
            wire.out().writeInt(found.types().size());
            for (Map.Entry<String, PropertyType> type : found.types().entrySet()) {
                wire.putText(type.getKey());
                SegmentSource.writeType(wire, type.getValue());
            }
            return;
        }
        String state = DuckFailures.state(failed);
        String message = DuckFailures.message(failed);
        if (timedOut) {
            state = SqlState.QUERY_CANCELED;
            message = "canceling statement due to statement timeout";
        } else if (failed instanceof SegmentsFull) {
            state = DuckFailures.DISK_FULL;
        } else if (canceled) {
            state = SqlState.QUERY_CANCELED;
            message = "canceling statement due to user request";
        }
        wire.out().writeByte(Wire.FAILED);
        wire.putText(state).putText(message);
    }

    /** Of the file of the segments, also of blocks that are free. */
    long fileBytes() {
        return opened.file().toFile().length();
    }

    /** The rows of a load can be sent. */
    void ready() throws SQLException {
        try {
            wire.out().writeByte(Wire.READY);
            wire.out().flush();
        } catch (IOException ended) {
            throw new SQLException("INTERRUPT Error: the server has left", ended);
        }
    }

    boolean canceled() {
        return canceled;
    }

    /** Executes a command of ours. */
    void update(String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            started(statement);
            boolean _ = statement.execute(text);
        } finally {
            running = null;
        }
    }

    long number(String text) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(text)) {
            return result.next() ? result.getLong(1) : 0;
        }
    }

    private void started(Statement statement) throws SQLException {
        running = statement;
        if (canceled) {
            throw new SQLException("INTERRUPT Error: canceled");
        }
    }

    private void query(Command.Query query) throws IOException, SQLException {
        String text = explained(query.text());
        refuseUnlessQuery(text == null ? query.text() : text);
        try (QueryViews _ = QueryViews.create(this, segments, query)) {
            if (query.describe() && text != null) {
                putPlanColumn();
                return;
            }
            if (query.describe()) {
                try (PreparedStatement prepared = connection.prepareStatement(query.text())) {
                    List<ColumnType> _ = putColumns(prepared.getMetaData());
                }
                return;
            }
            update("BEGIN TRANSACTION");
            try {
                for (String segment : query.segments()) {
                    long _ = number("SELECT 0 FROM " + segments.name(segment) + " LIMIT 0");
                }
                wire.out().writeByte(Wire.PINNED);
                wire.out().flush();
                if (query.purpose() == Wire.Purpose.FILE) {
                    file(query.text());
                } else {
                    execute(query);
                }
            } finally {
                canceledIsOver(() -> update("ROLLBACK"));
            }
        }
    }

    /** Something that must be executed even if the query was canceled. */
    interface Ending {
        void run() throws SQLException;
    }

    void canceledIsOver(Ending ending) {
        boolean before = canceled;
        canceled = false;
        try {
            ending.run();
        } catch (SQLException failed) {
            // The connection has failed, and ends.
        } finally {
            canceled = canceled || before;
        }
    }

    private void execute(Command.Query query) throws IOException, SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query.text())) {
            started(statement);
            for (int i = 0; i < query.parameters().size(); i++) {
                statement.setObject(i + 1, query.parameters().get(i));
            }
            try (ResultSet result = statement.executeQuery()) {
                if (explained(query.text()) == null) {
                    putRows(result, putColumns(result.getMetaData()));
                } else {
                    putPlan(result);
                }
            }
        } catch (SQLException failed) {
            throw canceled || !DuckFailures.withoutReason(failed) ? failed : reason(query, failed);
        } finally {
            running = null;
        }
        wire.out().writeByte(Wire.END);
    }

    private void file(String text) throws IOException, SQLException {
        try (QueryFile file = QueryFile.create(opened);
                Statement statement = connection.createStatement()) {
            started(statement);
            try (var _ = file.watch(TIMEOUTS, this::cancel)) {
                done(statement.executeUpdate(file.command(text)));
            } catch (SQLException failed) {
                throw file.tooLarge() ? new SegmentsFull() : failed;
            } finally {
                running = null;
            }
            file.send(wire);
        }
        wire.out().writeByte(Wire.END);
    }

    /**
     * Why a query failed between two blocks of rows, which the driver does not say: its execution
     * without a result fails with the reason.
     */
    private SQLException reason(Command.Query query, SQLException failed) {
        try {
            update("ROLLBACK");
            update("BEGIN TRANSACTION");
            try (PreparedStatement again =
                    connection.prepareStatement("EXPLAIN ANALYZE " + query.text())) {
                started(again);
                for (int i = 0; i < query.parameters().size(); i++) {
                    again.setObject(i + 1, query.parameters().get(i));
                }
                boolean _ = again.execute();
            }
            return failed;
        } catch (SQLException reason) {
            return reason;
        }
    }

    private List<ColumnType> putColumns(java.sql.ResultSetMetaData data)
            throws IOException, SQLException {
        List<ColumnType> types = ResultTransfer.types(data);
        wire.out().writeByte(Wire.COLUMNS);
        wire.out().writeInt(types.size());
        for (int i = 0; i < types.size(); i++) {
            wire.putText(data.getColumnName(i + 1)).putType(types.get(i));
        }
        wire.out().flush();
        return types;
    }

    private void putPlanColumn() throws IOException {
        wire.out().writeByte(Wire.COLUMNS);
        wire.out().writeInt(1);
        wire.putText("QUERY PLAN").putType(ColumnType.of(DataType.TEXT));
        wire.out().flush();
    }

    private void putPlan(ResultSet result) throws IOException, SQLException {
        putPlanColumn();
        List<String> lines = new ArrayList<>(List.of("Engine: analytics"));
        while (result.next()) {
            lines.addAll(result.getString(2).lines().toList());
        }
        List<byte[]> block = new ArrayList<>();
        for (String line : lines) {
            block.add(TableTransfer.encodeValues(new Object[] {line}));
        }
        putBlock(block);
    }

    private void putRows(ResultSet result, List<ColumnType> types)
            throws IOException, SQLException {
        List<byte[]> block = new ArrayList<>(Wire.BLOCK_ROWS);
        while (result.next()) {
            block.add(TableTransfer.encodeValues(ResultTransfer.row(result, types)));
            if (block.size() == Wire.BLOCK_ROWS) {
                putBlock(block);
            }
        }
        if (canceled) {
            throw new SQLException("INTERRUPT Error: canceled");
        }
        putBlock(block);
    }

    private void putBlock(List<byte[]> block) throws IOException {
        if (!block.isEmpty()) {
            wire.out().writeByte(Wire.ROWS);
            wire.out().writeInt(block.size());
            for (byte[] row : block) {
                wire.putBytes(row);
            }
            block.clear();
        }
    }

    /** What EXPLAIN explains; null if the text is none. */
    private static @Nullable String explained(String text) {
        String rest = text.strip();
        if (!rest.regionMatches(true, 0, "EXPLAIN", 0, 7)) {
            return null;
        }
        rest = rest.substring(7).strip();
        return rest.regionMatches(true, 0, "ANALYZE", 0, 7) ? rest.substring(7) : rest;
    }

    /** DuckDB's own parser decides what is a query and nothing else. */
    private void refuseUnlessQuery(String text) throws SQLException {
        String check =
                "SELECT CAST(json_extract(j, '$.error') AS BOOLEAN), json_extract_string(j,"
                        + " '$.error_type'), json_extract_string(j, '$.error_message')"
                        + " FROM (SELECT json_serialize_sql(CAST(? AS VARCHAR)) AS j)";
        try (PreparedStatement statement = connection.prepareStatement(check)) {
            statement.setString(1, text);
            try (ResultSet result = statement.executeQuery()) {
                if (result.next() && result.getBoolean(1)) {
                    String kind = result.getString(2);
                    String prefix =
                            "parser".equals(kind) ? "Parser Error: " : "Not implemented Error: ";
                    throw new SQLException(prefix + result.getString(3));
                }
            }
        }
    }

    @Override
    public void close() {
        segments.dropTemporary();
        try {
            connection.close();
        } catch (SQLException failed) {
            // It is not used again.
        }
    }
}
