package petrichor.services.search;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.services.search.SearchRows.State;
import petrichor.services.search.lucene.IndexCopy;
import petrichor.services.search.lucene.IndexCopy.Position;
import petrichor.services.search.model.DocumentCodec;
import petrichor.services.search.model.IndexName;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/**
 * Opens the copy of an index and brings it to the state of the rows: applies the changes that it
 * lacks, or builds it again. A copy is trusted only if the change up to which it is complete still
 * exists, written by the same commit: otherwise it is older than the retained changes, or belongs
 * to rows that were dropped or restored. Confined to one thread.
 */
final class Recovery {
    private static final System.Logger LOG = System.getLogger(Recovery.class.getName());

    private static final int CHANGES_PER_READ = 1_000;
    private static final int ROWS_PER_READ = 20;

    private final IndexName index;
    private final @Nullable Path folder;
    private final SearchMetrics metrics;

    Recovery(IndexName index, @Nullable Path folder, SearchMetrics metrics) {
        this.index = index;
        this.folder = folder;
        this.metrics = metrics;
    }

    IndexCopy open(Snapshot rows, State state, double bufferMegabytes) throws IOException {
        IndexCopy copy = openOrReplace(bufferMegabytes);
        try {
            if (!usable(copy, rows, state) || !replayed(copy, rows, state)) {
                rebuild(copy, rows, state);
            }
            return copy;
        } catch (IOException | RuntimeException | Error e) {
            copy.close();
            throw e;
        }
    }

    private IndexCopy openOrReplace(double bufferMegabytes) throws IOException {
        try {
            return IndexCopy.open(folder, bufferMegabytes);
        } catch (IOException | IllegalArgumentException | IllegalStateException e) {
            if (folder == null || e instanceof org.apache.lucene.store.LockObtainFailedException) {
                throw e;
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The copy of the search index {0} in {1} is damaged and is built again: {2}",
                    index.name(),
                    folder,
                    e.toString());
            deleteFolder(folder);
            return IndexCopy.open(folder, bufferMegabytes);
        }
    }

    static void deleteFolder(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(folder);
    }

    private boolean usable(IndexCopy copy, Snapshot rows, State state) {
        Position position = copy.committed();
        if (position.sequence() == 0) {
            return state.sequence() == 0 && copy.documents() == 0;
        }
        Row change = rows.get(SearchRows.change(index, position.sequence()));
        return change != null && change.version() == position.version();
    }

    /** False if changes are missing. */
    private boolean replayed(IndexCopy copy, Snapshot rows, State state) throws IOException {
        Position first = copy.committed();
        Position last = first;
        Set<String> ids = new LinkedHashSet<>();
        try (RowCursor changes =
                rows.scan(SearchRows.changesFrom(index, first.sequence() + 1), Direction.FORWARD)) {
            while (changes.next()) {
                long sequence = SearchRows.sequence(changes.key());
                if (sequence != last.sequence() + 1) {
                    return false;
                }
                last = new Position(sequence, changes.version());
                ids.addAll(SearchRows.decodeIds(changes.value()));
                metrics.changesReplayed.increment();
                if (ids.size() >= CHANGES_PER_READ) {
                    apply(copy, rows, ids);
                    ids.clear();
                }
            }
        }
        apply(copy, rows, ids);
        if (last.sequence() != state.sequence()) {
            return false;
        }
        if (!last.equals(first)) {
            copy.commit(last);
        }
        return true;
    }

    private void apply(IndexCopy copy, Snapshot rows, Set<String> ids) throws IOException {
        List<String> all = new ArrayList<>(ids);
        for (int from = 0; from < all.size(); from += ROWS_PER_READ) {
            List<String> some = all.subList(from, Math.min(all.size(), from + ROWS_PER_READ));
            List<@Nullable Row> found =
                    rows.get(some.stream().map(id -> SearchRows.document(index, id)).toList());
            for (int i = 0; i < some.size(); i++) {
                Row row = found.get(i);
                if (row == null) {
                    copy.delete(some.get(i));
                } else {
                    copy.put(DocumentCodec.decode(row.value()));
                }
            }
        }
    }

    private void rebuild(IndexCopy copy, Snapshot rows, State state) throws IOException {
        if (state.sequence() > 0) {
            metrics.rebuilds.increment();
            LOG.log(
                    System.Logger.Level.INFO,
                    "The copy of the search index {0} is built from {1} documents.",
                    index.name(),
                    state.documents());
        }
        copy.clear();
        copy.commit(Position.START);
        long remaining = state.documents();
        metrics.documentsToRebuild.addAndGet(remaining);
        try (RowCursor documents = rows.scan(SearchRows.documents(index), Direction.FORWARD)) {
            while (documents.next()) {
                copy.add(DocumentCodec.decode(documents.value()));
                if (remaining > 0) {
                    remaining--;
                    metrics.documentsToRebuild.decrementAndGet();
                }
            }
        } finally {
            metrics.documentsToRebuild.addAndGet(-remaining);
        }
        Row last = rows.get(SearchRows.change(index, state.sequence()));
        copy.commit(last == null ? Position.START : new Position(state.sequence(), last.version()));
    }
}
