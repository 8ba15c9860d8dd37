package petrichor.analytics.worker;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.tables.StoredColumn;
import petrichor.tables.StoredTable;

/**
 * Creates and changes segments: tables of DuckDB with the columns of a table of ours and the key of
 * each row. A transaction of DuckDB that began before a change does not see it.
 */
final class Segments {
    /** How many calls for rows pass between two readings of the used disk. */
    private static final int CALLS_PER_READING = 64;

    private static final String NUMBER = RowFunction.HIGH + ", " + RowFunction.LOW;

    private static final String BYTES =
            "SELECT coalesce(sum(used_blocks * block_size), 0) FROM pragma_database_size()";

    private final WorkerSession session;
    private final Loads loads;
    private final DuckLimits limits;
    private final String catalog;
    private final List<String> temporary = new ArrayList<>();

    Segments(WorkerSession session, Loads loads, DuckDatabases.Opened opened) throws SQLException {
        this.session = session;
        this.loads = loads;
        this.limits = opened.limits();
        this.catalog = opened.connection().getCatalog();
    }

    String name(String segment) {
        return quoted(catalog) + ".main." + quoted(segment);
    }

    static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    long bytes() throws SQLException {
        return session.number(BYTES);
    }

    /** The number of rows of the segment. */
    long load(Command.Rows rows) throws SQLException {
        int parts = rows.apply() ? 1 : limits.threads();
        try (Loads.Load load = new Loads.Load(rows.source(), parts, new Check())) {
            loads.expect(rows.stream(), load);
            session.ready();
            if (rows.apply()) {
                apply(rows, load);
            } else {
                create(rows);
                if (!load.misfits.isEmpty()) {
                    drop(rows.segment());
                    throw new MisfitsFound(load.misfits);
                }
            }
            if (bytes() > limits.diskBytes()) {
                drop(rows.segment());
                throw new SegmentsFull();
            }
            return session.number("SELECT count(*) FROM " + name(rows.segment()));
        } finally {
            loads.ended(rows.stream());
        }
    }

    private void create(Command.Rows rows) throws SQLException {
        if (!rows.kept()) {
            temporary.add(rows.segment());
        }
        session.update(
                "CREATE OR REPLACE TABLE "
                        + name(rows.segment())
                        + " AS SELECT "
                        + NUMBER
                        + columns(rows.source().table())
                        + " FROM "
                        + RowFunction.NAME
                        + "('"
                        + rows.stream()
                        + "')");
    }

    private void apply(Command.Rows rows, Loads.Load load) throws SQLException {
        String changed = "temp.main." + quoted("changed_" + rows.stream());
        String segment = name(rows.segment());
        session.update(
                "CREATE TEMP TABLE "
                        + quoted("changed_" + rows.stream())
                        + " AS SELECT "
                        + NUMBER
                        + ", "
                        + RowFunction.REMOVED
                        + columns(rows.source().table())
                        + " FROM "
                        + RowFunction.NAME
                        + "('"
                        + rows.stream()
                        + "')");
        boolean done = false;
        session.update("BEGIN TRANSACTION");
        try {
            if (!load.misfits.isEmpty()) {
                throw new MisfitsFound(load.misfits);
            }
            session.update(
                    "DELETE FROM "
                            + segment
                            + " WHERE ("
                            + NUMBER
                            + ") IN (SELECT ("
                            + NUMBER
                            + ") FROM "
                            + changed
                            + ")");
            session.update(
                    "INSERT INTO "
                            + segment
                            + " SELECT * EXCLUDE ("
                            + RowFunction.REMOVED
                            + ") FROM "
                            + changed
                            + " WHERE NOT "
                            + RowFunction.REMOVED);
            session.update("COMMIT");
            done = true;
        } finally {
            if (!done) {
                session.canceledIsOver(() -> session.update("ROLLBACK"));
            }
            session.canceledIsOver(() -> session.update("DROP TABLE " + changed));
        }
    }

    private static String columns(StoredTable table) {
        StringBuilder text = new StringBuilder();
        List<StoredColumn> columns = table.columns();
        for (int i = 0; i < columns.size(); i++) {
            String value = ColumnTransfer.of(columns.get(i).type()).expression("c" + i);
            text.append(", ").append(value).append(" AS c").append(i);
        }
        return text.toString();
    }

    void drop(String segment) throws SQLException {
        session.update("DROP TABLE IF EXISTS " + name(segment));
    }

    void dropTemporary() {
        for (String segment : temporary) {
            session.canceledIsOver(() -> drop(segment));
        }
    }

    /** Ends a load that is canceled or fills the disk. */
    private final class Check implements Loads.Check {
        private final AtomicLong calls = new AtomicLong();
        private final long freeBytes;

        Check() throws SQLException {
            freeBytes = session.fileBytes() - bytes();
        }

        @Override
        public void run() throws SQLException {
            if (session.canceled()) {
                throw new SQLException("INTERRUPT Error: canceled");
            }
            boolean reads = calls.incrementAndGet() % CALLS_PER_READING == 0;
            if (reads && session.fileBytes() - freeBytes > limits.diskBytes()) {
                throw new SegmentsFull();
            }
        }
    }
}
