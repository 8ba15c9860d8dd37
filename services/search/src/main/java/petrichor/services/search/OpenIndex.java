package petrichor.services.search;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.services.search.IndexWrites.Pending;
import petrichor.services.search.SearchRows.Schemas;
import petrichor.services.search.SearchRows.State;
import petrichor.services.search.lucene.IndexCopy;
import petrichor.services.search.lucene.IndexCopy.Position;
import petrichor.services.search.model.IndexName;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchRequest;
import petrichor.services.search.model.SearchResults;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.Snapshot;

/**
 * An index in use on the owner of its database: its state, and its Lucene copy, which equals the
 * rows.
 *
 * <p>Group commit: the thread that holds the write lock commits the queued documents of all
 * threads, applies them to the copy, and completes them, until its own are complete. Searches take
 * no lock. Thread-safe.
 */
final class OpenIndex implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(OpenIndex.class.getName());

    /** Bounds what a crash repeats. */
    private static final int UNCOMMITTED_DOCUMENTS_MAX = 10_000;

    private static final int MEGABYTE = 1 << 20;

    private final IndexName name;
    private final Database database;
    private final SearchSettings settings;
    private final SearchMetrics metrics;
    private final TimeSource time;
    private final IndexCopy copy;
    private final MemoryBudget.Reservation buffer;
    private final ReentrantLock writing = new ReentrantLock();
    private final Deque<Pending> queue = IndexWrites.queue();

    /** Written with the lock. */
    private volatile State state;

    private volatile Schemas schemas;
    private volatile boolean closed;
    private Position applied;
    private int uncommittedDocuments;
    private long uncommittedSince;

    private OpenIndex(
            IndexName name,
            Database database,
            SearchSettings settings,
            SearchMetrics metrics,
            TimeSource time,
            Opened opened) {
        this.name = name;
        this.database = database;
        this.settings = settings;
        this.metrics = metrics;
        this.time = time;
        this.copy = opened.copy();
        this.buffer = opened.buffer();
        this.state = opened.state();
        this.schemas = opened.schemas();
        this.applied = copy.committed();
    }

    private record Opened(
            IndexCopy copy, State state, Schemas schemas, MemoryBudget.Reservation buffer) {}

    /** Brings the copy to the state of the rows, which takes time if it has to be built. */
    static OpenIndex open(
            IndexName name,
            Database database,
            SearchSettings settings,
            @Nullable Path folder,
            SearchMetrics metrics,
            MemoryBudget memory,
            TimeSource time) {
        MemoryBudget.Reservation buffer = memory.reservation();
        if (!buffer.add((long) (settings.bufferMegabytes() * MEGABYTE))) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "The buffers of the open search indexes do not fit in memory; retry.");
        }
        try (Snapshot rows = database.snapshot()) {
            Row stateRow = rows.get(SearchRows.state(name));
            Row schemaRow = rows.get(SearchRows.schema(name));
            State state = stateRow == null ? State.NEW : SearchRows.decodeState(stateRow.value());
            Schemas schemas =
                    schemaRow == null ? Schemas.NONE : SearchRows.decodeSchemas(schemaRow.value());
            IndexCopy copy =
                    new Recovery(name, folder, metrics)
                            .open(rows, state, settings.bufferMegabytes());
            return new OpenIndex(
                    name,
                    database,
                    settings,
                    metrics,
                    time,
                    new Opened(copy, state, schemas, buffer));
        } catch (IOException e) {
            buffer.close();
            throw unavailable(name, e);
        } catch (RuntimeException | Error e) {
            buffer.close();
            throw e;
        }
    }

    private static PetrichorException unavailable(IndexName name, Throwable cause) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                cause,
                "The copy of the search index {index} failed and is opened again: {cause}. Retry.",
                "index",
                name.name(),
                "cause",
                String.valueOf(cause.getMessage()));
    }

    /** Whether it must be opened again: for another database object, or after a failure. */
    boolean stale(Database current) {
        return closed || !database.equals(current) || copy.broken() != null;
    }

    State state() {
        return state;
    }

    /** Changes that a crash would repeat. */
    long lag() {
        return state.sequence() - copy.committed().sequence();
    }

    SearchResults search(SearchRequest request, MemoryBudget memory) {
        try {
            return copy.search(schemas.indexed(), request, memory);
        } catch (IOException e) {
            throw unavailable(name, e);
        }
    }

    /**
     * Puts and deletes documents.
     *
     * @param documents null deletes
     * @return an outcome per document
     */
    List<WriteOutcome> write(List<String> ids, List<@Nullable SearchDocument> documents) {
        List<Pending> own = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            own.add(new Pending(ids.get(i), documents.get(i)));
        }
        synchronized (queue) {
            queue.addAll(own);
        }
        writing.lock();
        try {
            while (!own.getLast().done()) {
                commitNext();
            }
        } finally {
            writing.unlock();
        }
        return own.stream().map(OpenIndex::outcome).toList();
    }

    private static WriteOutcome outcome(Pending pending) {
        WriteOutcome outcome = pending.outcome;
        if (pending.notOwner != null) {
            throw pending.notOwner;
        }
        if (outcome == null) {
            throw new IllegalStateException("documents are committed in the order of the queue");
        }
        return outcome;
    }

    private void commitNext() {
        List<Pending> batch = IndexWrites.batch(queue);
        try {
            if (closed) {
                throw PetrichorException.of(
                        ErrorCode.UNAVAILABLE, "The search index is opened again; retry.");
            }
            IndexWrites writes = new IndexWrites(name, settings, state, schemas);
            long trimTo = Math.max(0, copy.committed().sequence() - 1 - settings.retainedChanges());
            IndexWrites.Committed committed = writes.commit(database, batch, trimTo);
            if (committed != null) {
                apply(committed);
            }
        } catch (NotOwner e) {
            closed = true;
            batch.forEach(pending -> pending.notOwner = e);
        } catch (RuntimeException e) {
            // Its outcome may be unknown: the next use reads the rows again.
            closed = true;
            PetrichorException reason =
                    e instanceof PetrichorException known
                            ? known
                            : PetrichorException.of(
                                    ErrorCode.INTERNAL,
                                    e,
                                    "A write to the search index failed: {cause}.",
                                    "cause",
                                    String.valueOf(e.getMessage()));
            for (Pending pending : batch) {
                if (pending.outcome == null) {
                    pending.outcome = new WriteOutcome.Refused(reason);
                }
            }
        }
    }

    private void apply(IndexWrites.Committed committed) {
        state = committed.state();
        schemas = committed.schemas();
        try {
            for (Pending pending : committed.written()) {
                if (pending.document == null) {
                    copy.delete(pending.id);
                    metrics.documentsDeleted.increment();
                } else {
                    copy.put(pending.document);
                    metrics.documentsWritten.increment();
                }
            }
        } catch (IOException e) {
            // The rows are durable: the copy is opened again and takes them from there.
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The copy of the search index {0} failed and is opened again: {1}",
                    name.name(),
                    e.toString());
        }
        for (Pending pending : committed.written()) {
            pending.outcome = new WriteOutcome.Written(pending.id);
        }
        applied = new Position(committed.state().sequence(), committed.version());
        if (uncommittedDocuments == 0) {
            uncommittedSince = time.monotonicNanos();
        }
        uncommittedDocuments += committed.written().size();
        if (uncommittedDocuments >= UNCOMMITTED_DOCUMENTS_MAX) {
            commitCopy();
        }
    }

    private void commitCopy() {
        if (uncommittedDocuments == 0 || copy.broken() != null) {
            return;
        }
        try {
            copy.commit(applied);
            uncommittedDocuments = 0;
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The copy of the search index {0} could not be written and is opened again:"
                            + " {1}",
                    name.name(),
                    e.toString());
        }
    }

    /** Makes changes durable that are older than the commit period. */
    void tidy() {
        if (!writing.tryLock()) {
            return;
        }
        try {
            boolean due =
                    time.monotonicNanos() - uncommittedSince >= settings.commitPeriod().toNanos();
            if (uncommittedDocuments > 0 && due && !closed) {
                commitCopy();
            }
        } finally {
            writing.unlock();
        }
    }

    /** For a change of the index other than a write of documents; nothing else writes meanwhile. */
    <T> T exclusively(Supplier<T> change) {
        writing.lock();
        try {
            closed = true;
            return change.get();
        } finally {
            writing.unlock();
        }
    }

    /** Makes all changes durable. Writes that are queued are refused. */
    @Override
    public void close() {
        writing.lock();
        try {
            if (copy.broken() == null) {
                commitCopy();
            }
            closed = true;
            copy.close();
            buffer.close();
        } finally {
            writing.unlock();
        }
    }
}
