package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.sql.h2.H2Catalog;
import petrichor.sql.h2.H2Errors;
import petrichor.sql.h2.H2Session;
import petrichor.tables.ColumnType;
import petrichor.tables.TableTransaction;

/**
 * A connection's state: its transaction, settings and prepared statements. Confined to one thread,
 * except {@link #cancel}. Failures are {@link SqlException}.
 *
 * <p>A statement outside of BEGIN … COMMIT is a transaction of its own, which is retried if it
 * conflicts; inside, a conflict is reported as 40001 and the client retries. A statement that fails
 * has no effect. After a failure inside a transaction, only ROLLBACK and ROLLBACK TO SAVEPOINT are
 * accepted.
 */
public final class SqlSession implements AutoCloseable {
    /** Of a statement that is a transaction of its own and conflicts with others. */
    private static final int ATTEMPTS_MAX = 50;

    private final SqlDatabase database;
    private final SqlRights rights;
    private final SessionSettings settings;
    private final SessionCommands commands;
    private final CatalogReads reads;
    private final SchemaChanges changes;
    private final Cursors cursors = new Cursors(this);
    private final NamedStatements named = new NamedStatements();
    private final TemporarySchema temporary = new TemporarySchema();
    private final IdleSessions idle;
    private @Nullable Block block;
    private @Nullable TableTransaction conflicting;
    private volatile @Nullable H2Session running;

    SqlSession(SqlDatabase database, String user, SqlRights rights) {
        this.database = database;
        this.rights = rights;
        this.settings = new SessionSettings(user);
        this.commands = new SessionCommands(this, settings, named);
        this.idle = new IdleSessions(user, settings, temporary);
        this.changes = new SchemaChanges(this, database, user, settings, idle, temporary);
        this.reads = new CatalogReads(this, settings, database);
    }

    /**
     * Executes one statement, with parameters {@code $1}, {@code $2}, …
     *
     * @param parameters of the classes that {@link petrichor.tables.DataType} names
     */
    public StatementResult execute(String text, @Nullable Object... parameters) {
        List<@Nullable Object> list = new ArrayList<>(parameters.length);
        for (Object parameter : parameters) {
            list.add(parameter);
        }
        return execute(text, list);
    }

    StatementResult execute(String text, List<@Nullable Object> parameters) {
        try {
            StatementText statement = parsed(text);
            rights.require(statement);
            return switch (statement.kind()) {
                case EMPTY -> new StatementResult.Empty();
                case CURSOR -> cursors.execute(statement, parameters);
                case QUERY, CHANGE, DEFINITION -> executeOnTables(statement, parameters);
                case BEGIN,
                        COMMIT,
                        ROLLBACK,
                        ROLLBACK_TO,
                        SAVEPOINT,
                        RELEASE,
                        SET,
                        RESET,
                        SHOW,
                        DISCARD,
                        NOTHING ->
                        commands.execute(statement);
            };
        } catch (RuntimeException | StackOverflowError failed) {
            Block open = block;
            if (open != null) {
                open.fail();
            }
            throw ErrorPlace.located(text, H2Errors.translate(failed, List.of()));
        }
    }

    /** The statement itself, or the one that EXECUTE names. */
    private StatementText parsed(String text) {
        StatementText statement = database.parsed(text);
        Block open = block;
        if (open != null && !statement.endsFailure()) {
            open.requireNotFailed();
        }
        return statement.tag().equals("EXECUTE")
                ? database.parsed(named.executed(text))
                : statement;
    }

    private StatementResult executeOnTables(
            StatementText statement, List<@Nullable Object> parameters) {
        Block open = block;
        if (open != null) {
            open.requireNoReadTime(statement);
            return run(open, statement, parameters);
        }
        if (statement.kind() == StatementText.Kind.QUERY) {
            return query(statement, parameters);
        }
        return change(statement, parameters);
    }

    /** A query on its own reads a snapshot, which stays open until its rows are closed. */
    private StatementResult query(StatementText statement, List<@Nullable Object> parameters) {
        String at = statement.readTime();
        long version = at == null ? 0 : ReadTime.parse(at);
        Block single =
                new Block(
                        database.store(), database.catalogs(), Block.Kind.STATEMENT, true, version);
        boolean returned = false;
        try {
            StatementResult result = run(single, statement, parameters);
            if (result instanceof StatementResult.Rows rows) {
                returned = true;
                return new StatementResult.Rows(
                        rows.tag(), rows.columns(), new ClosingRows(rows.rows(), single));
            }
            return result;
        } finally {
            if (!returned) {
                single.close();
            }
        }
    }

    /** A statement on its own that writes is retried until it does not conflict. */
    private StatementResult change(StatementText statement, List<@Nullable Object> parameters) {
        TableTransaction lost = null;
        for (int attempt = 1; ; attempt++) {
            try (Block single =
                    new Block(
                                    database.store(),
                                    database.catalogs(),
                                    Block.Kind.STATEMENT,
                                    settings.readOnly(),
                                    0)
                            .after(lost)) {
                lost = single.transaction();
                StatementResult result = run(single, statement, parameters);
                if (result instanceof StatementResult.Rows rows) {
                    result =
                            new StatementResult.Rows(
                                    rows.tag(),
                                    rows.columns(),
                                    ListedRows.of(rows.rows(), rows.columns().size()));
                }
                single.commit();
                changes.build(single);
                return result;
            } catch (RuntimeException failed) {
                SqlException reason = H2Errors.translate(failed, List.of());
                if (!reason.retryable() || attempt == ATTEMPTS_MAX) {
                    throw reason;
                }
            }
        }
    }

    /** The rows of a query as a Parquet file, to be closed before the next statement. */
    public ExportedRows export(String query) {
        Block open = block;
        try {
            StatementText statement = parsed(query);
            rights.require(statement);
            return reads.export(open, statement);
        } catch (RuntimeException failed) {
            if (open != null) {
                open.fail();
            }
            throw H2Errors.translate(failed, List.of());
        }
    }

    /** Loads rows into some columns of a table, in the open block. */
    public TableLoad load(String table, List<String> columns) {
        return new TableLoad(this, idle, settings, rights, table, columns);
    }

    private StatementResult run(
            Block open, StatementText statement, List<@Nullable Object> parameters) {
        SchemaChanges.refuseAfterBuilds(open);
        if (statement.kind() == StatementText.Kind.DEFINITION) {
            return changes.define(open, statement);
        }
        if (statement.kind() == StatementText.Kind.CHANGE) {
            open.requireWritable(statement.tag());
        }
        if (statement.tag().equals("TRUNCATE TABLE")) {
            return truncate(open, statement);
        }
        WithClause with = statement.with();
        if (with != null) {
            return new ChangesInWith(with, executor(open)).execute(parameters);
        }
        return run(open, statement, parameters, open.transaction().mark());
    }

    /** All statements read what was written before now. */
    private ChangesInWith.Executor executor(Block open) {
        int mark = open.transaction().mark();
        return new ChangesInWith.Executor() {
            @Override
            public StatementResult execute(StatementText one, List<@Nullable Object> parameters) {
                return run(open, one, parameters, mark);
            }

            @Override
            public H2Session.Description describe(StatementText one) {
                return describeIn(open, one);
            }
        };
    }

    private StatementResult run(
            Block open, StatementText statement, List<@Nullable Object> parameters, int mark) {
        StatementResult known = reads.query(open, statement, parameters);
        if (known != null) {
            return known;
        }
        if (statement.explain() != null) {
            return Explain.execute(this, open, statement, parameters, settings.timeouts());
        }
        H2Session h2 = idle.borrow(open.catalog());
        open.lend(h2);
        boolean reading = false;
        try {
            running = h2;
            H2Session.Outcome outcome =
                    h2.execute(
                            open.transaction(),
                            mark,
                            statement.executable(),
                            parameters,
                            open.kind() == Block.Kind.EXPLICIT
                                    ? settings.timeouts().lockingChanges()
                                    : settings.timeouts());
            return switch (outcome) {
                case H2Session.Outcome.Changed changed ->
                        new StatementResult.Count(statement.tag(), changed.count());
                case H2Session.Outcome.Queried queried -> {
                    RowIterator rows = rows(open, h2, queried.rows());
                    open.open(rows);
                    reading = true;
                    yield statement.named(
                            new StatementResult.Rows(statement.tag(), queried.columns(), rows));
                }
            };
        } finally {
            if (!reading) {
                running = null;
                idle.giveBack(h2);
            }
        }
    }

    private RowIterator rows(Block open, H2Session h2, RowIterator rows) {
        return new SessionRows(
                open, rows, () -> running = h2, () -> running = null, () -> idle.giveBack(h2));
    }

    private StatementResult truncate(Block open, StatementText statement) {
        TruncateText truncated = TruncateText.parse(statement.text());
        List<List<String>> tables;
        H2Session h2 = idle.borrow(open.catalog());
        open.lend(h2);
        try {
            tables = h2.truncate(open.transaction(), truncated);
        } finally {
            idle.giveBack(h2);
        }
        if (truncated.options().contains(TruncateText.Option.RESTART_IDENTITY)) {
            TableTransaction transaction = open.transaction();
            open.catalog(H2Catalog.restarted(database.store(), open.image(), transaction, tables));
        }
        return new StatementResult.Done(statement.tag());
    }

    void running(@Nullable H2Session h2) {
        running = h2;
    }

    /** Also after a change of settings, which apply to new H2 sessions. */
    void closeIdle() {
        idle.close();
    }

    /**
     * @param parameterTypes types that the client declares; UNKNOWN or missing ones are inferred
     */
    public SqlStatement prepare(String text, List<ColumnType> parameterTypes) {
        Block open = block;
        try {
            StatementText statement = parsed(text);
            H2Session.Description description =
                    switch (statement.kind()) {
                        case QUERY, CHANGE -> describe(open, statement);
                        case SHOW ->
                                new H2Session.Description(
                                        List.of(), List.of(commands.shown(statement)));
                        case CURSOR -> cursors.describe(statement);
                        case DEFINITION,
                                BEGIN,
                                COMMIT,
                                ROLLBACK,
                                ROLLBACK_TO,
                                SAVEPOINT,
                                RELEASE,
                                SET,
                                RESET,
                                DISCARD,
                                NOTHING,
                                EMPTY ->
                                new H2Session.Description(List.of(), List.of());
                    };
            return new SqlStatement(this, text, parameterTypes, description);
        } catch (RuntimeException | StackOverflowError failed) {
            if (open != null) {
                open.fail();
            }
            throw ErrorPlace.located(text, H2Errors.translate(failed, List.of()));
        }
    }

    private H2Session.Description describe(@Nullable Block open, StatementText statement) {
        if (open != null) {
            return describeIn(open, statement);
        }
        try (Block single =
                new Block(database.store(), database.catalogs(), Block.Kind.STATEMENT, true, 0)) {
            return describeIn(single, statement);
        }
    }

    private H2Session.Description describeIn(Block open, StatementText statement) {
        WithClause with = statement.with();
        if (with != null) {
            return statement.named(new ChangesInWith(with, executor(open)).describe());
        }
        if (statement.tag().equals("TRUNCATE TABLE")) {
            return new H2Session.Description(List.of(), List.of());
        }
        H2Session.Description system = reads.describe(open, statement);
        if (system != null) {
            return system;
        }
        if (statement.explain() != null) {
            return Explain.describe(statement, one -> describeIn(open, one));
        }
        return lent(
                open,
                h2 ->
                        reads.described(
                                open,
                                statement,
                                statement.named(
                                        h2.describe(open.transaction(), statement.executable()))));
    }

    <T> T lent(Block open, Function<H2Session, T> use) {
        H2Session h2 = idle.borrow(open.catalog());
        open.lend(h2);
        try {
            running = h2;
            return use.apply(h2);
        } finally {
            running = null;
            idle.giveBack(h2);
        }
    }

    public TransactionStatus transactionStatus() {
        Block open = block;
        if (open == null) {
            return TransactionStatus.IDLE;
        }
        return open.failed() ? TransactionStatus.FAILED : TransactionStatus.ACTIVE;
    }

    @Nullable Block block() {
        return block;
    }

    Block begin(Block.Kind kind) {
        settings.begin();
        Block opened =
                new Block(database.store(), database.catalogs(), kind, settings.readOnly(), 0)
                        .after(conflicting);
        conflicting = null;
        block = opened;
        return opened;
    }

    /** Ends the open transaction; false if it was rolled back because a statement had failed. */
    boolean end(boolean commit) {
        Block open = block;
        if (open == null) {
            return commit;
        }
        boolean committed = false;
        conflicting = open.notRepeated();
        try {
            if (commit && !open.failed()) {
                open.commit();
                committed = true;
            }
        } catch (PetrichorException failed) {
            // Clients repeat it at once: the next transaction has precedence.
            conflicting = failed.code() == ErrorCode.ABORTED ? open.transaction() : null;
            throw failed;
        } finally {
            block = null;
            cursors.transactionEnded();
            if (settings.end(committed) || open.hasOwnCatalog()) {
                closeIdle();
            }
            open.close();
        }
        if (committed) {
            changes.build(open);
        }
        return committed;
    }

    /**
     * Starts an implicit transaction block: the statements up to {@link #endImplicitBlock} are one
     * transaction, as those of one Query message, or those between two Syncs. BEGIN inside makes
     * the block an explicit one; COMMIT and ROLLBACK end it. No effect inside BEGIN … COMMIT.
     */
    public void beginImplicitBlock() {
        if (block == null) {
            begin(Block.Kind.IMPLICIT);
        }
    }

    /**
     * Commits the implicit block, or rolls it back if a statement failed. No effect if there is
     * none.
     */
    public void endImplicitBlock() {
        Block open = block;
        if (open != null && open.kind() == Block.Kind.IMPLICIT) {
            try {
                end(true);
            } catch (RuntimeException failed) {
                throw H2Errors.translate(failed, List.of());
            }
        }
    }

    /** From any thread: the running statement fails with 57014. */
    public void cancel() {
        reads.cancel();
        changes.cancel();
        H2Session h2 = running;
        if (h2 != null) {
            h2.cancel();
        }
    }

    /** Value of a session variable such as {@code search_path}; null if there is none. */
    public @Nullable String setting(String name) {
        return settings.get(name);
    }

    /** Columns of a cursor; null if there is no such cursor. */
    public @Nullable List<ResultColumn> cursor(String name) {
        return cursors.columns(name);
    }

    /** Drops the temporary tables of the session. */
    void dropTemporary() {
        temporary.drop(this);
    }

    /** Rolls back an open transaction, and drops the temporary tables. */
    @Override
    public void close() {
        end(false);
        temporary.end(this);
        closeIdle();
    }
}
