package petrichor.entities;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.CompositeIndex.Origin;
import petrichor.entities.CompositeIndex.State;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * The catalog of a database's composite indexes, with their states. It is a versioned row, so the
 * version of a reader or writer determines which indexes it may read or must maintain; indexes are
 * therefore declared, built and removed while the database is in use. Thread-safe.
 */
public final class IndexCatalog {
    private static final System.Logger LOG = System.getLogger(IndexCatalog.class.getName());

    private final Database database;
    private final Object building = new Object();
    private volatile @Nullable Cached cached;

    /** Indexes created since the database was opened: the clock of {@link #lastUse}. */
    private final AtomicLong made = new AtomicLong();

    /** By id; in memory only, so after a restart all indexes count as unused. */
    private final ConcurrentMap<Integer, Long> lastUse = new ConcurrentHashMap<>();

    /** The newest catalog row read, parsed. */
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
     * Creates an index that a query needs, unless it exists, and returns once it can be read; an
     * earlier reader or transaction still sees the previous catalog. When there are too many
     * automatic indexes, the new one replaces the least recently used, whose rows are removed in
     * the background. INVALID_ARGUMENT, and no index is created, if an entity would have too many
     * entries in it.
     *
     * @return whether this call created it
     */
    public boolean ensure(IndexDefinition definition) {
        if (find(newest(), definition, State.READABLE) != null) {
            return false;
        }
        synchronized (building) {
            boolean declared = declare(definition, Origin.AUTOMATIC);
            for (CompositeIndex index : newest().all()) {
                if (index.state() == State.WRITE_ONLY) {
                    fill(index);
                }
            }
            if (unfinished()) {
                Thread.ofVirtual().name("index-removal-" + database.name()).start(this::tidy);
            }
            return declared;
        }
    }

    private void tidy() {
        try {
            finish();
        } catch (PetrichorException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Deleting the rows of a removed index of {0} stopped; it continues when another"
                            + " index is created or the database is opened again: {1}",
                    database.name(),
                    e.getMessage());
        }
    }

    /** Records that a query reads these indexes, by id. */
    public void used(Iterable<Integer> ids) {
        long now = made.get();
        for (Integer id : ids) {
            if (!Long.valueOf(now).equals(lastUse.get(id))) {
                lastUse.put(id, now);
            }
        }
    }

    /**
     * Replaces the declared indexes: creates those that are missing, removes those that are not
     * listed. Returns when that is done.
     */
    public void replaceWith(List<IndexDefinition> definitions) {
        synchronized (building) {
            for (IndexDefinition definition : definitions) {
                declare(definition, Origin.DECLARED);
            }
            for (CompositeIndex index : newest().all()) {
                if (!definitions.contains(index.definition())) {
                    change(indexes -> indexes.with(index.withState(State.REMOVING)));
                }
            }
            finish();
        }
    }

    /**
     * Declares an index, which {@link #finish} makes readable. ALREADY_EXISTS if it is declared
     * already; an automatic index becomes a declared one.
     */
    public CompositeIndex create(IndexDefinition definition) {
        synchronized (building) {
            for (CompositeIndex index : newest().all()) {
                if (index.maintained()
                        && index.origin() == Origin.DECLARED
                        && index.definition().equals(definition)) {
                    throw PetrichorException.of(
                            ErrorCode.ALREADY_EXISTS,
                            "index already exists: {id}\n{yaml}",
                            "id",
                            index.id(),
                            "yaml",
                            definition.yaml());
                }
            }
            declare(definition, Origin.DECLARED);
            return newest().all().stream()
                    .filter(index -> index.maintained() && index.definition().equals(definition))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** From now on the index is neither read nor maintained; {@link #finish} removes its rows. */
    public void drop(int id) {
        synchronized (building) {
            CompositeIndex index = newest().find(id);
            if (index != null && index.maintained()) {
                change(indexes -> indexes.with(index.withState(State.REMOVING)));
            }
        }
    }

    /** Removes the index and returns when its rows are removed; false if it does not exist. */
    public boolean remove(IndexDefinition definition) {
        synchronized (building) {
            for (CompositeIndex index : newest().all()) {
                if (index.maintained() && index.definition().equals(definition)) {
                    change(indexes -> indexes.with(index.withState(State.REMOVING)));
                    finish();
                    return true;
                }
            }
            return false;
        }
    }

    /** From now on every commit maintains these indexes; {@link #finish} makes them readable. */
    public void declare(List<IndexDefinition> definitions) {
        synchronized (building) {
            definitions.forEach(definition -> declare(definition, Origin.DECLARED));
        }
    }

    /** Whether {@link #finish} has work to do. */
    public boolean unfinished() {
        return newest().all().stream().anyMatch(index -> index.state() != State.READABLE);
    }

    /**
     * Completes unfinished work, including work from before a crash: builds and empties indexes.
     */
    public void finish() {
        synchronized (building) {
            for (CompositeIndex index : newest().all()) {
                switch (index.state()) {
                    case WRITE_ONLY -> fill(index);
                    case REMOVING -> empty(index);
                    case READABLE -> {}
                }
            }
        }
    }

    private void fill(CompositeIndex index) {
        try {
            new IndexBuilder(database, index).fill();
        } catch (PetrichorException e) {
            if (e.code() == ErrorCode.INVALID_ARGUMENT) {
                // It cannot be built from these entities; a partial index would only slow down
                // writers.
                CompositeIndex removing = index.withState(State.REMOVING);
                change(indexes -> indexes.with(removing));
                empty(removing);
            }
            throw e;
        }
        change(indexes -> indexes.with(index.withState(State.READABLE)));
    }

    private void empty(CompositeIndex index) {
        new IndexBuilder(database, index).empty();
        change(indexes -> indexes.without(index.id()));
        lastUse.remove(index.id());
    }

    private boolean declare(IndexDefinition definition, Origin origin) {
        Indexes before = newest();
        CompositeIndex known = find(before, definition, State.READABLE);
        if (known == null) {
            known = find(before, definition, State.WRITE_ONLY);
        }
        if (known != null) {
            if (origin == Origin.DECLARED && known.origin() != origin) {
                CompositeIndex declared = known.withOrigin(origin);
                change(indexes -> indexes.with(declared));
            }
            return false;
        }
        CompositeIndex replaced = replaced(before, origin);
        change(
                indexes ->
                        replaced == null
                                ? indexes.with(definition, origin)
                                : indexes.with(replaced.withState(State.REMOVING))
                                        .with(definition, origin));
        made.incrementAndGet();
        CompositeIndex fresh = find(newest(), definition, State.WRITE_ONLY);
        if (fresh != null) {
            used(List.of(fresh.id()));
        }
        return true;
    }

    /** The automatic index that a new one replaces; null below the limit. */
    private @Nullable CompositeIndex replaced(Indexes before, Origin origin) {
        List<CompositeIndex> live =
                before.all().stream().filter(CompositeIndex::maintained).toList();
        List<CompositeIndex> automatic =
                live.stream().filter(index -> index.origin() == Origin.AUTOMATIC).toList();
        boolean full = live.size() >= Limits.COMPOSITE_INDEXES_MAX;
        if (!full
                && (origin == Origin.DECLARED || automatic.size() < Limits.AUTOMATIC_INDEXES_MAX)) {
            return null;
        }
        return automatic.stream()
                .min(
                        Comparator.comparingLong(
                                        (CompositeIndex index) ->
                                                lastUse.getOrDefault(index.id(), 0L))
                                .thenComparingInt(CompositeIndex::id))
                .orElseThrow(
                        () ->
                                PetrichorException.of(
                                        ErrorCode.RESOURCE_EXHAUSTED,
                                        "The database has "
                                                + Limits.COMPOSITE_INDEXES_MAX
                                                + " composite indexes, which is the limit; remove"
                                                + " some first."));
    }

    private static @Nullable CompositeIndex find(
            Indexes indexes, IndexDefinition definition, State state) {
        for (CompositeIndex index : indexes.all()) {
            if (index.state() == state && index.definition().equals(definition)) {
                return index;
            }
        }
        return null;
    }

    /** When this returns, every commit that maintained the old set of indexes has ended. */
    private void change(UnaryOperator<Indexes> change) {
        while (true) {
            try (Snapshot snapshot = database.snapshot()) {
                Row prior = snapshot.get(Indexes.ROW);
                Indexes next =
                        change.apply(prior == null ? Indexes.NONE : Indexes.parse(prior.value()));
                CommitResult result =
                        database.commit(
                                        new CommitRequest(
                                                snapshot.version(),
                                                List.of(),
                                                List.of(),
                                                List.of(Indexes.ROW),
                                                List.of(
                                                        new RowWrite(
                                                                Indexes.ROW,
                                                                next.toBytes(),
                                                                prior))))
                                .join();
                switch (result) {
                    case CommitResult.Committed _ -> {
                        return;
                    }
                    case CommitResult.Conflict _ -> {}
                    case CommitResult.Refused(PetrichorException reason) -> throw reason;
                    case CommitResult.Unknown(PetrichorException reason) -> throw reason;
                }
            }
        }
    }
}
