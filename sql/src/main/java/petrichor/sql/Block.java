package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.H2Catalog;
import petrichor.sql.h2.H2Session;
import petrichor.tables.CatalogImage;
import petrichor.tables.IndexBuild;
import petrichor.tables.TableStore;
import petrichor.tables.TableTransaction;

/**
 * An open transaction of a session: of one statement, of an implicit block, or between BEGIN and
 * COMMIT. Its version is chosen by its first statement. Confined to the session's thread.
 */
final class Block implements AutoCloseable {
    enum Kind {
        STATEMENT,
        IMPLICIT,
        EXPLICIT
    }

    /** A position to return to. */
    private record Savepoint(String name, int mark, CatalogImage image) {}

    private final TableStore store;
    private final CatalogCache catalogs;
    private final List<Savepoint> savepoints = new ArrayList<>();
    private final List<H2Session> lent = new ArrayList<>();
    private final List<RowIterator> open = new ArrayList<>();
    private Kind kind;
    private boolean readOnly;
    private long readTime;
    private boolean failed;
    private boolean unvalidated;
    private @Nullable TableTransaction lost;
    private @Nullable TableTransaction transaction;
    private @Nullable CatalogImage image;
    private @Nullable H2Catalog shared;
    private @Nullable H2Catalog own;
    private List<IndexBuild> builds = List.of();

    Block(TableStore store, CatalogCache catalogs, Kind kind, boolean readOnly, long readTime) {
        this.store = store;
        this.catalogs = catalogs;
        this.kind = kind;
        this.readOnly = readOnly;
        this.readTime = readTime;
    }

    /** The transaction that this block repeats. */
    Block after(@Nullable TableTransaction conflicting) {
        lost = conflicting;
        return this;
    }

    /** The transaction that this block would repeat if it had started; otherwise null. */
    @Nullable TableTransaction notRepeated() {
        return started() ? null : lost;
    }

    Kind kind() {
        return kind;
    }

    void makeExplicit() {
        kind = Kind.EXPLICIT;
    }

    boolean started() {
        return transaction != null;
    }

    /** Before the first statement. */
    void readOnly(boolean value) {
        readOnly = value;
    }

    /** Before the first statement. */
    void readTime(long version) {
        readTime = version;
        readOnly = true;
    }

    /** It has read without validation at its commit: from now on it must not write. */
    void unvalidated() {
        unvalidated = true;
    }

    boolean failed() {
        return failed;
    }

    /** A transaction reads one version. */
    void requireNoReadTime(StatementText statement) {
        if (statement.readTime() != null) {
            throw new SqlException(
                    SqlState.ACTIVE_TRANSACTION,
                    "AS OF SYSTEM TIME of a statement: not inside a transaction block; use"
                            + " BEGIN AS OF SYSTEM TIME");
        }
    }

    void requireNotFailed() {
        if (failed) {
            throw new SqlException(
                    SqlState.FAILED_TRANSACTION,
                    "current transaction is aborted, commands ignored until end of transaction"
                            + " block");
        }
    }

    /** Without a savepoint to return to, nothing can follow but the end: locks are released. */
    void fail() {
        failed = true;
        TableTransaction running = transaction;
        if (running != null && savepoints.isEmpty() && !running.readOnly()) {
            running.close();
        }
    }

    void requireWritable(String tag) {
        if (transaction().readOnly()) {
            throw new SqlException(
                    SqlState.READ_ONLY_TRANSACTION,
                    "cannot execute " + tag + " in a read-only transaction");
        }
        if (unvalidated) {
            throw new SqlException(
                    SqlState.READ_ONLY_TRANSACTION,
                    "cannot execute " + tag + " in a transaction that the analytics engine read",
                    "COMMIT or ROLLBACK first; petrichor.engine selects the engine.",
                    0,
                    null);
        }
    }

    TableTransaction transaction() {
        TableTransaction running = transaction;
        if (running == null) {
            if (readTime != 0) {
                running = store.snapshotAt(readTime);
            } else if (readOnly) {
                running = store.snapshot();
            } else {
                TableTransaction previous = lost;
                running = previous == null ? store.begin() : store.retry(previous);
            }
            transaction = running;
        }
        return running;
    }

    CatalogImage image() {
        CatalogImage known = image;
        if (known == null) {
            known = store.catalog(transaction());
            image = known;
        }
        return known;
    }

    /** The catalog with the changes of this transaction. */
    H2Catalog catalog() {
        CatalogImage now = image();
        H2Catalog changed = own;
        if (changed != null) {
            return changed;
        }
        H2Catalog stored = shared;
        if (stored == null) {
            stored = catalogs.acquire(now);
            shared = stored;
        }
        return stored;
    }

    /** The catalog after a schema change, or after the return to a savepoint. */
    void catalog(CatalogImage changed) {
        if (changed.version() == image().version()) {
            return;
        }
        closeOwn();
        image = changed;
        H2Catalog stored = shared;
        if (stored == null || stored.image().version() != changed.version()) {
            own = H2Catalog.open(store, changed);
        }
    }

    /** Indexes that have to be built after the commit. */
    List<IndexBuild> builds() {
        return builds;
    }

    void builds(List<IndexBuild> added) {
        builds = List.copyOf(added);
    }

    boolean hasOwnCatalog() {
        return own != null;
    }

    private void closeOwn() {
        closeOpen();
        H2Catalog changed = own;
        if (changed != null) {
            own = null;
            lent.removeIf(
                    session -> {
                        boolean of = session.catalog() == changed;
                        if (of) {
                            session.close();
                        }
                        return of;
                    });
            changed.close();
        }
    }

    /** Sessions of this block's own catalog end with it. */
    void lend(H2Session session) {
        if (session.catalog() == own) {
            lent.add(session);
        }
    }

    /** Rows that the client may still read; invalid after the end. */
    void open(RowIterator rows) {
        open.add(rows);
    }

    void closed(RowIterator rows) {
        open.remove(rows);
    }

    private void closeOpen() {
        List.copyOf(open).forEach(RowIterator::close);
        open.clear();
    }

    void savepoint(String name) {
        savepoints.add(new Savepoint(name, transaction().mark(), image()));
    }

    void release(String name) {
        int found = find(name);
        savepoints.subList(found, savepoints.size()).clear();
    }

    void rollbackTo(String name) {
        int found = find(name);
        Savepoint savepoint = savepoints.get(found);
        savepoints.subList(found + 1, savepoints.size()).clear();
        closeOpen();
        transaction().undo(savepoint.mark());
        catalog(savepoint.image());
        failed = false;
    }

    private int find(String name) {
        for (int i = savepoints.size() - 1; i >= 0; i--) {
            if (savepoints.get(i).name().equals(name)) {
                return i;
            }
        }
        throw new SqlException(
                SqlState.NO_SUCH_SAVEPOINT, "savepoint \"" + name + "\" does not exist");
    }

    /** Commits what was written. */
    void commit() {
        closeOpen();
        TableTransaction running = transaction;
        if (running != null) {
            H2Catalog stored = shared;
            CatalogImage now = image;
            boolean changed =
                    own != null
                            || (stored != null
                                    && now != null
                                    && now.version() != stored.image().version());
            running.commit();
            if (changed) {
                store.purge();
            }
        }
    }

    /** Rolls back unless it has committed. */
    @Override
    public void close() {
        closeOwn();
        H2Catalog stored = shared;
        if (stored != null) {
            shared = null;
            catalogs.release(stored);
        }
        TableTransaction running = transaction;
        if (running != null) {
            running.close();
        }
    }
}
