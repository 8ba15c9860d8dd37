package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.H2Errors;
import petrichor.sql.h2.H2Session;
import petrichor.sql.h2.RowInserts;

/**
 * Loads many rows into a table, as COPY does: in the transaction of the open block, and in batches
 * of limited size. After a failure, the block has failed. To be closed before the next statement.
 * Confined to the session's thread.
 */
public final class TableLoad implements AutoCloseable {
    private static final int BATCH_ROWS_MAX = 1_000;
    private static final int BATCH_BYTES_MAX = 1 << 20;

    private final SqlSession session;
    private final IdleSessions idle;
    private final Block block;
    private final List<List<@Nullable Object>> batch = new ArrayList<>();
    private @Nullable Target target;
    private long batchBytes;
    private long inserted;
    private boolean complete;

    /** Where the rows go, with the H2 session that converts and checks them. */
    private record Target(H2Session h2, RowInserts inserts) {}

    TableLoad(
            SqlSession session,
            IdleSessions idle,
            SessionSettings settings,
            SqlRights rights,
            String table,
            List<String> columns) {
        Block open = session.block();
        if (open == null) {
            throw new IllegalStateException("no transaction block is open");
        }
        this.session = session;
        this.idle = idle;
        this.block = open;
        guarded(
                () -> {
                    rights.requireWrite("COPY");
                    block.requireNotFailed();
                    SchemaChanges.refuseAfterBuilds(block);
                    block.requireWritable("COPY FROM");
                    target = target(SqlText.names(table), columns, settings);
                });
    }

    private void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | StackOverflowError failed) {
            block.fail();
            throw H2Errors.translate(failed, List.of());
        }
    }

    private Target target(List<String> table, List<String> columns, SessionSettings settings) {
        H2Session h2 = idle.borrow(block.catalog());
        block.lend(h2);
        try {
            session.running(h2);
            return new Target(h2, h2.inserts(table, columns, settings.statementTimeout()));
        } catch (RuntimeException failed) {
            session.running(null);
            idle.giveBack(h2);
            throw failed;
        }
    }

    /** Number of rows so far. */
    public long count() {
        return inserted + batch.size();
    }

    /**
     * @param values of the columns, of the classes that {@link petrichor.tables.DataType} names
     * @param size of the row in bytes, as the client sent it
     */
    public void add(List<@Nullable Object> values, int size) {
        batch.add(values);
        batchBytes += size;
        if (batch.size() >= BATCH_ROWS_MAX || batchBytes >= BATCH_BYTES_MAX) {
            guarded(this::flush);
        }
    }

    /** Inserts the last rows, and returns the number of all. */
    public long end() {
        guarded(this::flush);
        complete = true;
        return inserted;
    }

    private void flush() {
        if (batch.isEmpty()) {
            return;
        }
        Target now = target;
        if (now == null) {
            throw new IllegalStateException("the load has ended");
        }
        now.inserts().insert(block.transaction(), batch);
        inserted += batch.size();
        batch.clear();
        batchBytes = 0;
    }

    /** Unless the load has ended, its transaction fails: none of its rows may stay. */
    @Override
    public void close() {
        if (!complete) {
            block.fail();
        }
        Target now = target;
        if (now != null) {
            target = null;
            session.running(null);
            now.inserts().close();
            idle.giveBack(now.h2());
        }
    }
}
