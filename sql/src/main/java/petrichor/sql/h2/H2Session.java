package petrichor.sql.h2;

import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.h2.api.ErrorCode;
import org.h2.command.Command;
import org.h2.command.Prepared;
import org.h2.engine.SessionLocal;
import org.h2.message.DbException;
import org.h2.result.ResultInterface;
import org.h2.util.TimeZoneProvider;
import org.h2.value.ValueNull;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.PetrichorException;
import petrichor.sql.LockingClause;
import petrichor.sql.OnConflict;
import petrichor.sql.PlanNode;
import petrichor.sql.ResultColumn;
import petrichor.sql.RowIterator;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;
import petrichor.sql.TruncateText;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;
import petrichor.tables.TableTransaction;

/**
 * Executes statements on one version of the catalog. Confined to one thread, except {@link
 * #cancel}. While rows of a query are being read, it executes no other statement.
 */
public final class H2Session implements AutoCloseable {
    /** Of a statement that needs more numbers of a sequence than its block has. */
    private static final int ATTEMPTS_MAX = 24;

    /** Of a statement that locks rows which change before it has locked them. */
    private static final int LOCK_ATTEMPTS_MAX = 100;

    private final H2Catalog catalog;
    private final RowSession session;
    private final SessionLocal h2;
    private volatile @Nullable Command running;
    private volatile Cancellation waiting = Cancellation.never();

    H2Session(H2Catalog catalog, RowSession session) {
        this.catalog = catalog;
        this.session = session;
        this.h2 = session.session();
    }

    public H2Catalog catalog() {
        return catalog;
    }

    /** What a statement needs and returns. */
    public record Description(List<ColumnType> parameters, List<ResultColumn> columns) {
        public Description {
            parameters = List.copyOf(parameters);
            columns = List.copyOf(columns);
        }
    }

    /** What a statement did: rows, or a count. */
    public sealed interface Outcome {
        record Queried(List<ResultColumn> columns, RowIterator rows) implements Outcome {}

        record Changed(long count) implements Outcome {}
    }

    public void timeZone(ZoneId zone) {
        h2.setTimeZone(TimeZoneProvider.ofId(zone.getId()));
    }

    /** Unqualified names are found in these schemas. */
    public void searchPath(List<String> schemas) {
        String first = schemas.isEmpty() ? "public" : schemas.getFirst();
        if (catalog.database().findSchema(first) != null) {
            h2.setCurrentSchema(catalog.database().getSchema(first));
        }
        List<String> known = new ArrayList<>(schemas);
        known.removeIf(name -> catalog.database().findSchema(name) == null);
        known.add("pg_catalog");
        h2.setSchemaSearchPath(known.toArray(String[]::new));
    }

    public Description describe(TableTransaction transaction, ExecutableText statement) {
        session.begin(transaction);
        Command command = prepare(statement.text());
        try {
            List<ColumnType> parameters = Parameters.types(command);
            String change = statement.change();
            if (change != null) {
                List<ColumnType> inferred = describe(transaction, change).parameters();
                for (int i = 0; i < Math.min(parameters.size(), inferred.size()); i++) {
                    if (parameters.get(i).type() == DataType.UNKNOWN) {
                        parameters.set(i, inferred.get(i));
                    }
                }
            }
            List<ResultColumn> columns = List.of();
            if (command.isQuery()) {
                try (ResultInterface meta = command.getMetaData()) {
                    columns = columns(meta);
                }
            }
            OnConflict conflict = statement.conflict();
            if (conflict != null) {
                ConflictResolution.of(h2, conflict, List.of()).addTypes(parameters);
            }
            return new Description(parameters, columns);
        } catch (RuntimeException failed) {
            throw translated(failed);
        } finally {
            command.stop(false);
            command.close();
        }
    }

    private Description describe(TableTransaction transaction, String change) {
        return describe(transaction, new ExecutableText(change, false, null, null, List.of()));
    }

    private Command prepare(String text) {
        try {
            if (EntitySchemas.mentioned(text)) {
                catalog.entities().refresh();
            }
            Command command = InsertColumns.prepared(h2, text);
            session.bindPlanned();
            return command;
        } catch (RuntimeException | StackOverflowError failed) {
            throw translated(failed);
        }
    }

    /**
     * Executes a statement. The rows of a lazy query are read as the iterator advances.
     *
     * @param readMark it sees the transaction's writes before this mark
     */
    public Outcome execute(
            TableTransaction transaction,
            int readMark,
            ExecutableText statement,
            List<@Nullable Object> parameters,
            Timeouts timeouts) {
        h2.setQueryTimeout(millis(timeouts.statement()));
        Cancellation cancellation = cancellation(timeouts.statement());
        int mark = transaction.mark();
        for (int attempt = 1; ; attempt++) {
            session.begin(transaction, readMark);
            StatementLocks locks =
                    StatementLocks.of(
                            statement.locks(),
                            timeouts.lockChanges() && transaction.canLock(),
                            transaction,
                            h2,
                            timeouts.lock(),
                            cancellation);
            int reads = begin(transaction, locks);
            try {
                return execute(statement, parameters, locks);
            } catch (RuntimeException | StackOverflowError failed) {
                transaction.undo(mark);
                if (locks.stale() && attempt < LOCK_ATTEMPTS_MAX) {
                    transaction.readAgain(reads);
                } else if (!feeds(failed, attempt)) {
                    throw translated(failed);
                }
            }
        }
    }

    /**
     * Insertions into one table, to be closed before the next statement.
     *
     * @param table with or without the schema
     * @param columns that have values; the others have their defaults
     */
    public RowInserts inserts(List<String> table, List<String> columns, Duration timeout) {
        try {
            return RowInserts.of(this, session, table, columns, cancellation(timeout));
        } catch (RuntimeException failed) {
            throw translated(failed);
        }
    }

    /**
     * The plan of a query.
     *
     * @param analyze whether to execute it and to count what it reads
     */
    public PlanNode explain(
            TableTransaction transaction,
            int readMark,
            ExecutableText statement,
            List<@Nullable Object> parameters,
            Timeouts timeouts,
            boolean analyze) {
        session.begin(transaction, readMark);
        long began = System.nanoTime();
        prepare(statement.text()).close();
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("Planning Time", QueryPlan.rounded((System.nanoTime() - began) / 1e6));
        ReadCounts counts = analyze ? new ReadCounts() : null;
        if (analyze) {
            session.count(counts);
            long keys = transaction.keysRead();
            long trips = transaction.reads();
            long started = System.nanoTime();
            long rows = 0;
            try {
                if (execute(transaction, readMark, statement, parameters, timeouts)
                        instanceof Outcome.Queried(_, RowIterator read)) {
                    try (read) {
                        while (read.next()) {
                            rows++;
                        }
                    }
                }
            } finally {
                session.count(null);
            }
            summary.put("Execution Time", QueryPlan.rounded((System.nanoTime() - started) / 1e6));
            summary.put("Rows", rows);
            summary.put("Keys Read", transaction.keysRead() - keys);
            summary.put("Round Trips", transaction.reads() - trips);
        }
        try {
            Prepared prepared = h2.prepare(statement.text());
            for (int i = 0; i < Math.min(parameters.size(), prepared.getParameters().size()); i++) {
                prepared.getParameters().get(i).setValue(Values.toH2(parameters.get(i)));
            }
            return QueryPlan.of(prepared, counts).with(summary);
        } catch (RuntimeException failed) {
            throw translated(failed);
        }
    }

    private static int millis(Duration timeout) {
        return (int) Math.min(Integer.MAX_VALUE, timeout.toMillis());
    }

    private Cancellation cancellation(Duration timeout) {
        Cancellation opened =
                timeout.isZero() ? Cancellation.never() : Cancellation.after(timeout.toNanos());
        waiting = opened;
        return opened;
    }

    /**
     * A SELECT that locks rows reads the newest version; a change does so if it has to be repeated.
     */
    private int begin(TableTransaction transaction, StatementLocks locks) {
        if (!locks.changes() && locks.isEmpty()) {
            return -1;
        }
        session.lock(locks);
        if (locks.isEmpty()) {
            return transaction.startReads();
        }
        transaction.readAgain(-1);
        boolean _ = transaction.validateScans(!locks.skips());
        return transaction.startReads();
    }

    private Outcome execute(
            ExecutableText statement, List<@Nullable Object> parameters, StatementLocks locks) {
        for (LockingClause clause : statement.locks()) {
            if (clause.order() != null) {
                lockInOrder(clause, clause.order(), parameters, locks);
            }
        }
        Command command = prepare(statement.text());
        boolean open = false;
        try {
            Parameters.bind(command, parameters);
            OnConflict conflict = statement.conflict();
            if (conflict != null) {
                session.resolve(ConflictResolution.of(h2, conflict, parameters));
            }
            running = command;
            if (!command.isQuery()) {
                return new Outcome.Changed(command.executeUpdate(null).getUpdateCount());
            }
            h2.setLazyQueryExecution(statement.lazy());
            ResultInterface result = command.executeQuery(0, 0, false);
            if (!locks.isEmpty() && !locks.offered() && result.hasNext()) {
                result.close();
                throw H2Errors.unsupported(
                        "FOR UPDATE without a table in FROM; write it inside the subquery or view");
            }
            open = true;
            return new Outcome.Queried(
                    columns(result),
                    new CommandRows(command, result, this::translated, () -> running = null));
        } finally {
            if (!open) {
                running = null;
                command.close();
            }
        }
    }

    /** Locks the rows that a sorted SELECT with a limit returns, and no others. */
    private void lockInOrder(
            LockingClause clause,
            LockingClause.LimitedOrder order,
            List<@Nullable Object> parameters,
            StatementLocks locks) {
        Command command;
        long most;
        try {
            most =
                    Math.addExact(
                            number(order.limit(), Long.MAX_VALUE / 2, parameters),
                            number(order.offset(), 0, parameters));
            command = prepare(order.query());
        } catch (DbException | SqlException dependent) {
            // It refers to a surrounding statement.
            locks.lockAsFound(clause);
            return;
        }
        try {
            locks.collect(clause);
            Parameters.bind(command, parameters);
            running = command;
            h2.setLazyQueryExecution(false);
            try (ResultInterface sorted = command.executeQuery(0, 0, false)) {
                int match = sorted.getVisibleColumnCount() - 1;
                long locked = 0;
                while (locked < most && sorted.next()) {
                    locked += locks.lockMatch(clause, sorted.currentRow()[match].getInt()) ? 1 : 0;
                }
            }
            locks.choose(clause);
        } finally {
            running = null;
            command.close();
        }
    }

    private long number(
            @Nullable String expression, long absent, List<@Nullable Object> parameters) {
        if (expression == null) {
            return absent;
        }
        Command command = h2.prepareLocal("SELECT CAST((" + expression + ") AS BIGINT)");
        try {
            Parameters.bind(command, parameters);
            try (ResultInterface one = command.executeQuery(1, 0, false)) {
                boolean some = one.next() && !one.currentRow()[0].equals(ValueNull.INSTANCE);
                return some
                        ? Math.clamp(one.currentRow()[0].getLong(), 0, Integer.MAX_VALUE)
                        : absent;
            }
        } finally {
            command.close();
        }
    }

    private boolean feeds(Throwable failed, int attempt) {
        return feeds(failed, attempt, attempt);
    }

    /**
     * Whether a sequence that ran out of numbers has new ones.
     *
     * @param attempt of the statement, from 1
     * @param size from 1; the block of numbers doubles with each further one
     */
    boolean feeds(Throwable failed, int attempt, int size) {
        if (attempt >= ATTEMPTS_MAX
                || !(failed instanceof DbException known)
                || known.getErrorCode() != ErrorCode.SEQUENCE_EXHAUSTED) {
            return false;
        }
        String text = String.valueOf(known.getSQLException().getMessage());
        int from = text.indexOf('"') + 1;
        int to = text.indexOf('"', from);
        try {
            return to > 0 && catalog.sequences().feed(text.substring(from, to), size);
        } catch (PetrichorException ended) {
            throw new SqlException(
                    SqlState.SEQUENCE_LIMIT,
                    "nextval: reached the limit of a sequence: " + ended.getMessage(),
                    ended);
        }
    }

    /**
     * Executes a schema change on the catalog of this session, which no other session uses.
     *
     * @param tables that it may create, for which H2 requires an administrator
     * @return whether it is done; otherwise a table is too large for {@link
     *     IndexCreation#IF_SMALL}, and the catalog must not be used
     */
    public boolean define(
            TableTransaction transaction,
            String text,
            int tables,
            IndexCreation creation,
            Duration timeout) {
        h2.setQueryTimeout(millis(timeout));
        session.begin(transaction);
        session.create(creation);
        Command command = prepare(text);
        session.beginCheck(); // constraints are checked through the indexes that it has filled
        try {
            session.keepRows(IndexColumns.changesColumnsOnly(h2.prepare(text), text));
            running = command;
            session.allowTables(tables);
            command.executeUpdate(null);
            catalog.checkAddedConstraints(session);
            return true;
        } catch (RuntimeException | StackOverflowError failed) {
            if (session.largeTable()) {
                return false;
            }
            throw translated(failed);
        } finally {
            session.allowTables(0);
            session.endCheck();
            session.keepRows(false);
            running = null;
            command.close();
        }
    }

    /** The statement that drops an index, or the constraint that it belongs to; null if none. */
    public @Nullable String dropping(int table, int index) {
        return IndexColumns.dropping(catalog.database(), table, index);
    }

    /** Removes all rows of tables, and returns these, each with its schema. */
    public List<List<String>> truncate(TableTransaction transaction, TruncateText statement) {
        int mark = transaction.mark();
        session.begin(transaction);
        try {
            return Truncation.of(h2, statement).run();
        } catch (RuntimeException failed) {
            transaction.undo(mark);
            throw translated(failed);
        }
    }

    /** Owner of schemas. */
    public String owner() {
        return catalog.owner();
    }

    private static List<ResultColumn> columns(ResultInterface result) {
        List<ResultColumn> columns = new ArrayList<>();
        for (int i = 0; i < result.getVisibleColumnCount(); i++) {
            columns.add(
                    new ResultColumn(
                            result.getAlias(i), Values.resultType(result.getColumnType(i))));
        }
        return columns;
    }

    SqlException translated(Throwable failed) {
        return H2Errors.translate(failed, catalog.tableNames());
    }

    /** From any thread. */
    public void cancel() {
        Command command = running;
        if (command != null) {
            command.cancel();
        }
        waiting.cancel();
    }

    @Override
    public void close() {
        if (!catalog.closed()) {
            h2.close();
        }
        catalog.ended(session);
    }
}
