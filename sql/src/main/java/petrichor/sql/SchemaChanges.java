package petrichor.sql;

import java.time.Duration;
import java.util.List;
import petrichor.sql.h2.Definitions;
import petrichor.sql.h2.H2Catalog;
import petrichor.sql.h2.H2Session;
import petrichor.sql.h2.IndexCreation;
import petrichor.tables.CatalogImage;
import petrichor.tables.IndexBuild;
import petrichor.tables.IndexBuilds;
import petrichor.tables.StoredIndex;
import petrichor.tables.StoredTable;
import petrichor.tables.TableTransaction;

/**
 * Schema changes of a session. Each runs on a copy of the catalog, in the transaction of its block;
 * the index of a large table is built after the commit, in transactions of its own, while others
 * write. Confined to the session's thread, except {@link #cancel}.
 */
final class SchemaChanges {
    private final SqlSession session;
    private final SqlDatabase database;
    private final String user;
    private final SessionSettings settings;
    private final IdleSessions idle;
    private final TemporarySchema temporary;
    private volatile boolean building;
    private volatile boolean canceled;

    SchemaChanges(
            SqlSession session,
            SqlDatabase database,
            String user,
            SessionSettings settings,
            IdleSessions idle,
            TemporarySchema temporary) {
        this.idle = idle;
        this.temporary = temporary;
        this.session = session;
        this.database = database;
        this.user = user;
        this.settings = settings;
    }

    StatementResult define(Block open, StatementText statement) {
        open.requireWritable(statement.tag());
        boolean concurrently =
                statement.tag().equals("CREATE INDEX")
                        && statement.words().contains("CONCURRENTLY");
        boolean alone = open.kind() != Block.Kind.EXPLICIT && !open.transaction().hasWrites();
        if (concurrently && !alone) {
            throw new SqlException(
                    SqlState.ACTIVE_TRANSACTION,
                    "CREATE INDEX CONCURRENTLY cannot run inside a transaction block");
        }
        IndexCreation creation = IndexCreation.IN_TRANSACTION;
        if (alone && statement.addsIndex()) {
            creation = concurrently ? IndexCreation.ONLINE : IndexCreation.IF_SMALL;
        }
        if (!define(open, statement, creation)) {
            boolean _ = define(open, statement, IndexCreation.ONLINE);
        }
        return new StatementResult.Done(statement.tag());
    }

    private boolean define(Block open, StatementText statement, IndexCreation creation) {
        TableTransaction transaction = open.transaction();
        CatalogImage before = open.image();
        int mark = transaction.mark();
        boolean done = false;
        try (H2Catalog copy = H2Catalog.open(database.store(), before);
                H2Session h2 = copy.connect(user)) {
            idle.apply(h2);
            session.running(h2);
            temporary.enter(
                    statement,
                    settings.searchPath(),
                    copy,
                    first ->
                            h2.define(
                                    transaction,
                                    first,
                                    0,
                                    IndexCreation.IN_TRANSACTION,
                                    settings.statementTimeout()),
                    h2);
            String text =
                    statement.tag().equals("CREATE SCHEMA")
                            ? statement.text() + " AUTHORIZATION \"" + h2.owner() + "\""
                            : DroppedConstraints.stored(
                                    statement.text(), () -> Definitions.of(copy));
            done =
                    h2.define(
                            transaction,
                            text,
                            statement.tables(),
                            creation,
                            settings.statementTimeout());
            if (done) {
                save(open, copy, before, statement);
            }
            return done;
        } catch (RuntimeException failed) {
            done = false;
            throw failed;
        } finally {
            session.running(null);
            if (!done) {
                transaction.undo(mark);
            }
        }
    }

    private void save(Block open, H2Catalog copy, CatalogImage before, StatementText statement) {
        TableTransaction transaction = open.transaction();
        CatalogImage after = copy.save(transaction, before);
        if (!statement.words().contains("DROP")) {
            requireBuildsContinue(before, after);
        }
        IndexBuilds builds = database.indexes().builds();
        List<IndexBuild> added = builds.added(before, after);
        builds.start(transaction, added);
        open.builds(added);
        open.catalog(after);
    }

    /** A change that copies a table would leave the build behind. */
    private static void requireBuildsContinue(CatalogImage before, CatalogImage after) {
        for (StoredTable table : before.tables()) {
            for (StoredIndex index : table.indexes()) {
                StoredTable now = after.table(table.id());
                if (!index.readable() && (now == null || now.index(index.id()) == null)) {
                    throw new SqlException(
                            SqlState.OBJECT_IN_USE,
                            "cannot change table \""
                                    + table.name()
                                    + "\": its index \""
                                    + index.name()
                                    + "\" is being built",
                            "Wait for the build, or drop the index.",
                            0,
                            null);
                }
            }
        }
    }

    /** The build starts with the commit, which must follow. */
    static void refuseAfterBuilds(Block open) {
        if (!open.builds().isEmpty()) {
            throw new SqlException(
                    SqlState.ACTIVE_TRANSACTION,
                    "an index of a large table is built after its transaction: no statement can"
                            + " follow in the same message; send it on its own");
        }
    }

    /** Builds the indexes that a committed block has defined. */
    void build(Block committed) {
        List<IndexBuild> builds = committed.builds();
        if (builds.isEmpty()) {
            return;
        }
        Duration timeout = settings.statementTimeout();
        long start = System.nanoTime();
        canceled = false;
        building = true;
        try {
            for (IndexBuild build : builds) {
                database.indexes()
                        .build(
                                build,
                                () ->
                                        canceled
                                                || (timeout.isPositive()
                                                        && System.nanoTime() - start
                                                                > timeout.toNanos()));
            }
        } finally {
            building = false;
        }
    }

    /** From any thread: the running build ends, and its index is dropped. */
    void cancel() {
        if (building) {
            canceled = true;
        }
    }
}
