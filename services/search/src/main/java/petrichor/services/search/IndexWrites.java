package petrichor.services.search;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.services.search.SearchRows.Schemas;
import petrichor.services.search.SearchRows.State;
import petrichor.services.search.model.DocumentCodec;
import petrichor.services.search.model.IndexName;
import petrichor.services.search.model.IndexSchema;
import petrichor.services.search.model.SearchDocument;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * The rows of one commit: the documents that were put or deleted, the change that lists them, the
 * new state, and the schema if it grew. Confined to one thread.
 */
final class IndexWrites {
    static final int CHANGES_MAX = 500;
    static final int BYTES_MAX = 4 << 20;
    private static final int TRIMMED_MAX = 100;

    private final IndexName index;
    private final SearchSettings settings;
    private final State before;
    private Schemas schemas;
    private boolean grown;
    private long documents;
    private long bytes;
    private final List<Pending> accepted = new ArrayList<>();
    private final List<RowWrite> rows = new ArrayList<>();
    private final List<byte[]> conflictKeys = new ArrayList<>();

    /** A document to put or delete; completed by the thread that commits it. */
    static final class Pending {
        final String id;
        final @Nullable SearchDocument document;
        final byte @Nullable [] encoded;
        @Nullable WriteOutcome outcome;

        /** The database has another owner: the call is forwarded to it. */
        @Nullable NotOwner notOwner;

        Pending(String id, @Nullable SearchDocument document) {
            this.id = id;
            this.document = document;
            this.encoded = document == null ? null : DocumentCodec.encode(document);
        }

        boolean done() {
            return outcome != null || notOwner != null;
        }

        int bytes() {
            return encoded == null ? 0 : encoded.length;
        }
    }

    IndexWrites(IndexName index, SearchSettings settings, State before, Schemas schemas) {
        this.index = index;
        this.settings = settings;
        this.before = before;
        this.schemas = schemas;
        this.documents = before.documents();
        this.bytes = before.bytes();
    }

    /** Takes from the queue what fits in one commit: at most one write of each document. */
    static List<Pending> batch(Deque<Pending> queue) {
        List<Pending> batch = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        long size = 0;
        synchronized (queue) {
            while (!queue.isEmpty()
                    && batch.size() < CHANGES_MAX
                    && (batch.isEmpty() || size + queue.getFirst().bytes() <= BYTES_MAX)
                    && ids.add(queue.getFirst().id)) {
                Pending next = queue.removeFirst();
                size += next.bytes();
                batch.add(next);
            }
        }
        return batch;
    }

    static Deque<Pending> queue() {
        return new ArrayDeque<>();
    }

    /**
     * Commits. Documents that break a limit are refused by themselves.
     *
     * @param trimTo changes up to this one may be removed
     * @return null if nothing is written
     */
    @Nullable Committed commit(Database database, List<Pending> batch, long trimTo) {
        CommitRequest request;
        State after;
        try (Snapshot snapshot = database.snapshot();
                MemoryBudget.Reservation memory = database.commitMemory().reservation()) {
            Row stateRow = requireUnchanged(snapshot);
            prepareDocuments(snapshot, batch, memory);
            if (accepted.isEmpty()) {
                return null;
            }
            after = prepareState(snapshot, stateRow, trimTo);
            request =
                    new CommitRequest(snapshot.version(), List.of(), List.of(), conflictKeys, rows);
        }
        return switch (result(database, request)) {
            case CommitResult.Committed(long version) ->
                    new Committed(after, schemas, version, List.copyOf(accepted));
            case CommitResult.Conflict _ -> throw changed();
            case CommitResult.Refused(PetrichorException reason) -> throw reason;
            case CommitResult.Unknown(PetrichorException reason) -> throw reason;
        };
    }

    private static CommitResult result(Database database, CommitRequest request) {
        try {
            return database.commit(request).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /**
     * @param written each document at most once
     */
    record Committed(State state, Schemas schemas, long version, List<Pending> written) {}

    private @Nullable Row requireUnchanged(Snapshot snapshot) {
        Row row = snapshot.get(SearchRows.state(index));
        State stored = row == null ? State.NEW : SearchRows.decodeState(row.value());
        if (!stored.equals(before)) {
            throw changed();
        }
        return row;
    }

    private static PetrichorException changed() {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "Another server wrote to the search index; it is opened again. Retry.");
    }

    private void prepareDocuments(
            Snapshot snapshot, List<Pending> batch, MemoryBudget.Reservation memory) {
        List<@Nullable Row> priors =
                snapshot.get(
                        batch.stream()
                                .map(pending -> SearchRows.document(index, pending.id))
                                .toList());
        for (int i = 0; i < batch.size(); i++) {
            Pending pending = batch.get(i);
            Row prior = priors.get(i);
            if (prior != null && !memory.add(prior.value().length)) {
                throw PetrichorException.of(
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "The running commits replace more data than fits in memory; retry with"
                                + " backoff, or with fewer documents.");
            }
            PetrichorException refusal = refusal(pending, prior);
            if (refusal != null) {
                pending.outcome = new WriteOutcome.Refused(refusal);
            } else if (pending.document == null && prior == null) {
                pending.outcome = new WriteOutcome.Missing(pending.id);
            } else {
                prepare(pending, prior);
            }
        }
    }

    private @Nullable PetrichorException refusal(Pending pending, @Nullable Row prior) {
        if (pending.document == null) {
            return null;
        }
        long size = bytes + pending.bytes() - (prior == null ? 0 : prior.value().length);
        if (size > settings.indexBytesMax()) {
            return PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "The search index {index} would exceed {bytesMax} bytes; delete documents, or"
                            + " use several indexes.",
                    "index",
                    index.name(),
                    "bytesMax",
                    settings.indexBytesMax());
        }
        IndexSchema grown = schemas.indexed().with(pending.document);
        if (grown.fields().size() > settings.fieldNamesMax()) {
            return PetrichorException.invalid(
                    "The search index {index} would have more than {namesMax} names of fields.",
                    "index",
                    index.name(),
                    "namesMax",
                    settings.fieldNamesMax());
        }
        return null;
    }

    private void prepare(Pending pending, @Nullable Row prior) {
        byte[] key = SearchRows.document(index, pending.id);
        rows.add(new RowWrite(key, pending.encoded, prior));
        conflictKeys.add(key);
        accepted.add(pending);
        bytes += pending.bytes() - (prior == null ? 0 : prior.value().length);
        if (pending.document == null) {
            documents--;
        } else {
            documents += prior == null ? 1 : 0;
            grow(pending.document);
        }
    }

    private void grow(SearchDocument document) {
        IndexSchema indexed = schemas.indexed().with(document);
        IndexSchema listed = schemas.listed().with(document);
        // A schema that does not grow remains the same object.
        if (!indexed.equals(schemas.indexed()) || !listed.equals(schemas.listed())) {
            schemas = new Schemas(indexed, listed);
            grown = true;
        }
    }

    private State prepareState(Snapshot snapshot, @Nullable Row stateRow, long trimTo) {
        long sequence = before.sequence() + 1;
        List<String> ids = accepted.stream().map(pending -> pending.id).toList();
        rows.add(new RowWrite(SearchRows.change(index, sequence), SearchRows.encodeIds(ids), null));
        long trimmed = Math.min(trimTo, before.trimmed() + TRIMMED_MAX);
        for (long old = before.trimmed() + 1; old <= trimmed; old++) {
            Row row = snapshot.get(SearchRows.change(index, old));
            if (row != null) {
                rows.add(new RowWrite(row.key(), null, row));
            }
        }
        State after = new State(sequence, Math.max(trimmed, before.trimmed()), documents, bytes);
        byte[] stateKey = SearchRows.state(index);
        rows.add(new RowWrite(stateKey, SearchRows.encode(after), stateRow));
        conflictKeys.add(stateKey);
        if (grown) {
            byte[] schemaKey = SearchRows.schema(index);
            rows.add(new RowWrite(schemaKey, SearchRows.encode(schemas), snapshot.get(schemaKey)));
        }
        return after;
    }
}
