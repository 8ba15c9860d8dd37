package petrichor.services.search;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.services.search.model.IndexName;
import petrichor.transactions.Database;

/**
 * The open indexes of this process, at most a configured number: opening another closes the one
 * that has been unused for longest. Opening runs on another thread; calls wait for it up to their
 * deadline and a limit. Thread-safe.
 */
final class OpenIndexes implements AutoCloseable {
    private static final int FOLDER_HASH_BYTES = 16;

    private final SearchSettings settings;
    private final SearchMetrics metrics;
    private final MemoryBudget memory;
    private final TimeSource time;
    private final Executor executor;
    private final ReentrantLock lock = new ReentrantLock();

    /** Least recently used first. */
    private final Map<Key, Slot> slots = new LinkedHashMap<>(16, 0.75f, true);

    private boolean closed;

    private record Key(String project, IndexName index) {}

    /** Guarded by the lock. */
    private static final class Slot {
        int users;
        @Nullable CompletableFuture<OpenIndex> opened;

        /** Completes when the index that was open before is closed. */
        CompletableFuture<Void> previousClosed = CompletableFuture.completedFuture(null);

        long lastUsed;

        @Nullable OpenIndex ready() {
            return opened != null && opened.isDone() && !opened.isCompletedExceptionally()
                    ? opened.join()
                    : null;
        }
    }

    OpenIndexes(
            SearchSettings settings,
            SearchMetrics metrics,
            MemoryBudget memory,
            TimeSource time,
            Executor executor) {
        this.memory = memory;
        this.settings = settings;
        this.metrics = metrics;
        this.time = time;
        this.executor = executor;
    }

    /** Whether its copy belongs to this database, which a reset replaces. */
    boolean isOpen(Database database, String project, IndexName index) {
        lock.lock();
        try {
            Slot slot = slots.get(new Key(project, index));
            OpenIndex ready = slot == null ? null : slot.ready();
            return ready != null && !ready.stale(database);
        } finally {
            lock.unlock();
        }
    }

    /** Runs with the index open; opens it if necessary. */
    <T> T use(Database database, String project, IndexName index, Function<OpenIndex, T> action) {
        Key key = new Key(project, index);
        Slot slot;
        CompletableFuture<OpenIndex> opened;
        lock.lock();
        try {
            if (closed) {
                throw PetrichorException.of(ErrorCode.UNAVAILABLE, "The server is shutting down.");
            }
            slot = slots.computeIfAbsent(key, _ -> new Slot());
            opened = opened(key, slot, database);
            slot.users++;
        } finally {
            lock.unlock();
        }
        try {
            return action.apply(await(index, opened));
        } finally {
            release(slot);
        }
    }

    private void release(Slot slot) {
        lock.lock();
        try {
            slot.users--;
            slot.lastUsed = time.monotonicNanos();
        } finally {
            lock.unlock();
        }
    }

    private CompletableFuture<OpenIndex> opened(Key key, Slot slot, Database database) {
        CompletableFuture<OpenIndex> current = slot.opened;
        OpenIndex ready = slot.ready();
        boolean usable =
                current != null && (!current.isDone() || (ready != null && !ready.stale(database)));
        if (current != null && usable) {
            return current;
        }
        close(slot);
        CompletableFuture<Void> mayOpen = ready == null ? mayOpen() : slot.previousClosed;
        CompletableFuture<OpenIndex> next =
                CompletableFuture.allOf(slot.previousClosed, mayOpen)
                        .thenApplyAsync(
                                _ ->
                                        OpenIndex.open(
                                                key.index(),
                                                database,
                                                settings,
                                                folder(key.project(), key.index()),
                                                metrics,
                                                memory,
                                                time),
                                executor);
        slot.opened = next;
        return next;
    }

    /** Completes when one more can be opened: closes an unused one if necessary. */
    private CompletableFuture<Void> mayOpen() {
        long open = slots.values().stream().filter(slot -> slot.opened != null).count();
        if (open < settings.openIndexesMax()) {
            return CompletableFuture.completedFuture(null);
        }
        for (Slot slot : slots.values()) {
            if (slot.users == 0 && slot.ready() != null) {
                close(slot);
                return slot.previousClosed;
            }
        }
        throw PetrichorException.of(
                ErrorCode.RESOURCE_EXHAUSTED,
                "All {openIndexesMax} search indexes that may be open are in use; retry.",
                "openIndexesMax",
                settings.openIndexesMax());
    }

    private void close(Slot slot) {
        OpenIndex index = slot.ready();
        slot.opened = null;
        if (index != null) {
            slot.previousClosed = CompletableFuture.runAsync(index::close, executor);
        }
    }

    private OpenIndex await(IndexName name, CompletableFuture<OpenIndex> opened) {
        Cancellation cancellation = Cancellation.current();
        long nanos = settings.openWaitMax().toNanos();
        if (cancellation != null) {
            nanos = Math.clamp(cancellation.remainingNanos(), 0, nanos);
        }
        try {
            return opened.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    e,
                    "The copy of the search index {index} is being built from its documents;"
                            + " {documents} documents remain. Retry later.",
                    "index",
                    name.name(),
                    "documents",
                    metrics.documentsToRebuild());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, e, "The server is shutting down.");
        } catch (ExecutionException e) {
            Throwable cause =
                    e.getCause() instanceof CompletionException wrapped
                                    && wrapped.getCause() != null
                            ? wrapped.getCause()
                            : e.getCause();
            if (cause instanceof PetrichorException known) {
                throw known;
            }
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    cause,
                    "The search index {index} could not be opened: {cause}.",
                    "index",
                    name.name(),
                    "cause",
                    String.valueOf(cause));
        }
    }

    /** Null for copies in memory. */
    @Nullable Path folder(String project, IndexName index) {
        Path root = settings.folder();
        if (root == null) {
            return null;
        }
        String name = project + '\n' + index.namespace() + '\n' + index.name();
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256")
                            .digest(name.getBytes(StandardCharsets.UTF_8));
            return root.resolve(HexFormat.of().formatHex(hash, 0, FOLDER_HASH_BYTES));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Closes the index, so that the next use opens it again. */
    void close(String project, IndexName index) {
        lock.lock();
        try {
            Slot slot = slots.get(new Key(project, index));
            if (slot != null) {
                close(slot);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removes the folder of a deleted index. */
    void forget(String project, IndexName index) {
        Path folder = folder(project, index);
        lock.lock();
        try {
            Slot slot = slots.get(new Key(project, index));
            if (slot != null) {
                close(slot);
                if (folder != null) {
                    slot.previousClosed =
                            slot.previousClosed.thenRunAsync(() -> delete(folder), executor);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private static void delete(Path folder) {
        try {
            Recovery.deleteFolder(folder);
        } catch (IOException _) {
            // It is empty, and would be replaced by the next open.
        }
    }

    List<OpenIndex> ready() {
        lock.lock();
        try {
            List<OpenIndex> ready = new ArrayList<>();
            for (Slot slot : slots.values()) {
                OpenIndex index = slot.ready();
                if (index != null) {
                    ready.add(index);
                }
            }
            return ready;
        } finally {
            lock.unlock();
        }
    }

    /** Closes idle indexes; makes changes of the others durable. */
    void tidy() {
        long now = time.monotonicNanos();
        lock.lock();
        try {
            for (Slot slot : slots.values()) {
                if (slot.users == 0
                        && slot.ready() != null
                        && now - slot.lastUsed >= settings.idleMax().toNanos()) {
                    close(slot);
                }
            }
            slots.values()
                    .removeIf(
                            slot ->
                                    slot.users == 0
                                            && slot.ready() == null
                                            && (slot.opened == null || slot.opened.isDone())
                                            && slot.previousClosed.isDone());
        } finally {
            lock.unlock();
        }
        ready().forEach(OpenIndex::tidy);
    }

    /** Waits until all indexes are closed. */
    @Override
    public void close() {
        List<CompletableFuture<?>> closing = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            for (Slot slot : slots.values()) {
                CompletableFuture<OpenIndex> opened = slot.opened;
                if (opened != null) {
                    closing.add(opened.thenAccept(OpenIndex::close).exceptionally(_ -> null));
                }
                closing.add(slot.previousClosed);
            }
        } finally {
            lock.unlock();
        }
        closing.forEach(CompletableFuture::join);
    }
}
