package petrichor.entities;

import org.jspecify.annotations.Nullable;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;
import petrichor.transactions.Snapshot;

/**
 * The composite indexes of one database over time. What a reader may use and what a writer must
 * maintain is what the row of indexes says at the version that it reads; so an index is declared,
 * filled and removed while the database is in use. Safe for any thread.
 */
public final class IndexCatalog {
    private final Database database;
    private volatile @Nullable Cached cached;

    /** The newest row seen, parsed. */
    private record Cached(long version, Indexes indexes) {}

    IndexCatalog(Database database) {
        this.database = database;
    }

    /** As of the version of this reader. In a transaction this counts as a read. */
    public Indexes at(RowReader reader) {
        Row row = reader.get(Indexes.ROW);
        if (row == null) {
            return Indexes.NONE;
        }
        Cached last = cached;
        if (last != null && last.version() == row.version()) {
            return last.indexes();
        }
        Indexes indexes = Indexes.parse(row.value());
        if (last == null || last.version() < row.version()) {
            cached = new Cached(row.version(), indexes);
        }
        return indexes;
    }

    public Indexes newest() {
        try (Snapshot snapshot = database.snapshot()) {
            return at(snapshot);
        }
    }

    /**
     * Makes the index if it isn't there, and returns when it can be read, by any reader from now
     * on; a reader or transaction from before sees it as it was then.
     *
     * @return whether it was made now
     */
    public boolean ensure(IndexDefinition definition) {
        throw new UnsupportedOperationException("being built: " + definition);
    }
}
