package petrichor.sql.h2;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.h2.engine.SessionLocal;
import org.h2.table.TableFilter;
import org.jspecify.annotations.Nullable;
import petrichor.tables.StoredIndex;
import petrichor.tables.TableAccess;
import petrichor.tables.TableTransaction;

/**
 * The transaction in which the statements of an H2 session read and write. Confined to one thread.
 */
final class RowSession {
    private final SessionLocal session;
    private @Nullable TableTransaction transaction;
    private final Set<TableFilter> planned = Collections.newSetFromMap(new IdentityHashMap<>());
    private long execution;
    private int statementMark;
    private int checks;
    private int tablesAllowed;
    private @Nullable ConflictResolution conflict;
    private StatementLocks locks = StatementLocks.NONE;
    private boolean validated = true;
    private @Nullable ReadCounts counts;
    private IndexCreation creation = IndexCreation.IN_TRANSACTION;
    private boolean largeTable;
    private boolean keepsRows;

    RowSession(SessionLocal session) {
        this.session = session;
    }

    SessionLocal session() {
        return session;
    }

    /** The statements that follow run in this transaction and do not see their own writes. */
    void begin(TableTransaction running) {
        begin(running, running.mark());
    }

    /** The statement that follows sees the writes before the mark. */
    void begin(TableTransaction running, int mark) {
        transaction = running;
        statementMark = mark;
        execution++;
        checks = 0;
        conflict = null;
        locks = StatementLocks.NONE;
        boolean _ = running.validateScans(true);
    }

    /** Steps of a plan, when H2 computes their costs. */
    void planned(TableFilter[] steps) {
        planned.addAll(Arrays.asList(steps));
    }

    /** The steps of plans that H2 has made since then read ahead. */
    void bindPlanned() {
        planned.forEach(RowIndex::bind);
        planned.clear();
    }

    /** A number for each execution of a statement. */
    long execution() {
        return execution;
    }

    /** Whether the reads of the statement see one version and the same writes. */
    boolean readsAhead() {
        return checks == 0 && locks.isEmpty();
    }

    /** Counts what statements read from now on; null to stop. */
    void count(@Nullable ReadCounts reads) {
        counts = reads;
    }

    @Nullable ReadCounts counts() {
        return counts;
    }

    /** The statement that is executed next locks rows. */
    void lock(StatementLocks statement) {
        locks = statement;
    }

    StatementLocks locks() {
        return locks;
    }

    /** The INSERT that is executed next does this about rows that exist. */
    void resolve(@Nullable ConflictResolution resolution) {
        conflict = resolution;
    }

    /** Null if such a row is an error. */
    @Nullable ConflictResolution conflict(RowTable table) {
        ConflictResolution now = conflict;
        return now != null && now.table().equals(table) ? now : null;
    }

    /** How the schema change that follows creates indexes. */
    void create(IndexCreation how) {
        creation = how;
        largeTable = false;
    }

    StoredIndex.State stateOfNewIndexes() {
        return switch (creation) {
            case IN_TRANSACTION, IF_SMALL -> StoredIndex.State.READABLE;
            case ONLINE -> StoredIndex.State.DELETE_ONLY;
        };
    }

    void refuseLargeTable(TableAccess table) {
        if (creation == IndexCreation.IF_SMALL && table.hasMoreRows(IndexCreation.SMALL_ROWS_MAX)) {
            largeTable = true;
            throw H2Errors.unsupported("an index on a large table in this transaction");
        }
    }

    /** Whether the schema change that follows adds or drops columns and leaves the rows alone. */
    void keepRows(boolean keep) {
        keepsRows = keep;
    }

    boolean keepsRows() {
        return keepsRows;
    }

    /** Whether the schema change failed only because a table has too many rows. */
    boolean largeTable() {
        return largeTable;
    }

    /** H2 lets only administrators create tables of an engine; the user is one until then. */
    void allowTables(int count) {
        tablesAllowed = count;
        session.getUser().setAdmin(count > 0);
    }

    void tableCreated() {
        allowTables(Math.max(0, tablesAllowed - 1));
    }

    TableTransaction transaction() {
        TableTransaction running = transaction;
        if (running == null) {
            throw new IllegalStateException("no statement is running");
        }
        return running;
    }

    /** Reads see the writes before this mark. */
    int readMark() {
        return checks > 0 ? transaction().mark() : statementMark;
    }

    /** Constraints are checked against the writes of the statement itself. */
    void beginCheck() {
        if (checks++ == 0) {
            validated = transaction().validateScans(true);
        }
    }

    void endCheck() {
        if (--checks == 0) {
            boolean _ = transaction().validateScans(validated);
        }
    }
}
