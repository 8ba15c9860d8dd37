package petrichor.services.search;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.services.search.SearchRows.Schemas;
import petrichor.services.search.SearchRows.State;
import petrichor.services.search.model.DocumentCodec;
import petrichor.services.search.model.DocumentRules;
import petrichor.services.search.model.IndexName;
import petrichor.services.search.model.IndexSchema;
import petrichor.services.search.model.SearchDocument;
import petrichor.services.search.model.SearchLimits;
import petrichor.services.search.model.SearchRequest;
import petrichor.services.search.model.SearchResults;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.NotSequencedHere;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * Search over the documents of projects. Calls run on the server that owns the project's database;
 * elsewhere they throw {@link NotSequencedHere}, by which they are routed. A write that is
 * acknowledged is durable and visible to every later search. Failures are {@link
 * PetrichorException}. Thread-safe; calls block.
 */
public final class SearchService implements AutoCloseable {
    private static final int ID_BYTES = 16;
    private static final int ROWS_PER_REMOVAL = 500;

    private final Supplier<Databases> databases;
    private final MemoryBudget memory;
    private final RandomGenerator chance;
    private final SearchSettings settings;
    private final SearchMetrics metrics = new SearchMetrics();
    private final OpenIndexes indexes;

    /**
     * @param databases of the current data, which may be replaced
     * @param memory for results, and for the buffers of open copies
     * @param executor opens and closes copies; its threads may block
     */
    public SearchService(
            Supplier<Databases> databases,
            SearchSettings settings,
            MemoryBudget memory,
            TimeSource time,
            RandomGenerator chance,
            Executor executor) {
        this.databases = databases;
        this.memory = memory;
        this.chance = chance;
        this.settings = settings;
        this.indexes = new OpenIndexes(settings, metrics, memory, time, executor);
    }

    /** An index, as lists show it. */
    public record IndexInfo(
            IndexName name, IndexSchema schema, long documents, long bytes, long bytesMax) {}

    private Database database(String project) {
        Database database = databases.get().open(project);
        if (!database.sequencedHere()) {
            throw new NotSequencedHere(database.name());
        }
        return database;
    }

    /**
     * Puts documents, each by itself: others are written even if some are refused.
     *
     * @return an outcome per document
     */
    public List<WriteOutcome> put(String project, IndexName index, List<SearchDocument> documents) {
        requireCount(documents.size());
        Database database = database(project);
        List<@Nullable WriteOutcome> outcomes = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        List<@Nullable SearchDocument> valid = new ArrayList<>();
        for (SearchDocument document : documents) {
            SearchDocument named = document.id().isEmpty() ? document.withId(newId()) : document;
            PetrichorException refusal = refusal(named);
            outcomes.add(refusal == null ? null : new WriteOutcome.Refused(refusal));
            if (refusal == null) {
                ids.add(named.id());
                valid.add(named);
            }
        }
        List<WriteOutcome> written =
                valid.isEmpty()
                        ? List.of()
                        : indexes.use(database, project, index, open -> open.write(ids, valid));
        List<WriteOutcome> all = new ArrayList<>();
        int next = 0;
        for (WriteOutcome outcome : outcomes) {
            all.add(outcome == null ? written.get(next++) : outcome);
        }
        return all;
    }

    private static @Nullable PetrichorException refusal(SearchDocument document) {
        try {
            DocumentRules.require(document);
        } catch (PetrichorException e) {
            return e;
        }
        int bytes = DocumentCodec.encode(document).length;
        return bytes <= SearchLimits.DOCUMENT_BYTES_MAX
                ? null
                : PetrichorException.invalid(
                        "The document {id} has {bytes} bytes; at most {bytesMax} are allowed.",
                        "id",
                        document.id(),
                        "bytes",
                        bytes,
                        "bytesMax",
                        SearchLimits.DOCUMENT_BYTES_MAX);
    }

    private String newId() {
        byte[] id = new byte[ID_BYTES];
        chance.nextBytes(id);
        return HexFormat.of().formatHex(id);
    }

    private static void requireCount(int count) {
        if (count > SearchLimits.DOCUMENTS_PER_CALL_MAX) {
            throw PetrichorException.invalid(
                    "The call has {count} documents; at most {countMax} are allowed.",
                    "count",
                    count,
                    "countMax",
                    SearchLimits.DOCUMENTS_PER_CALL_MAX);
        }
    }

    /** An outcome per id. */
    public List<WriteOutcome> delete(String project, IndexName index, List<String> ids) {
        requireCount(ids.size());
        Database database = database(project);
        if (ids.isEmpty()) {
            return List.of();
        }
        if (!exists(database, project, index)) {
            return ids.stream().<WriteOutcome>map(WriteOutcome.Missing::new).toList();
        }
        List<@Nullable SearchDocument> deleted = Collections.nCopies(ids.size(), null);
        return indexes.use(database, project, index, open -> open.write(ids, deleted));
    }

    private boolean exists(Database database, String project, IndexName index) {
        if (indexes.isOpen(database, project, index)) {
            return true;
        }
        try (Snapshot rows = database.snapshot()) {
            return rows.get(SearchRows.state(index)) != null;
        }
    }

    /** Null if there is no such index. */
    public @Nullable SearchResults search(String project, IndexName index, SearchRequest request) {
        metrics.searches.increment();
        Database database = database(project);
        return exists(database, project, index)
                ? indexes.use(database, project, index, open -> open.search(request, memory))
                : null;
    }

    /**
     * Documents in the order of their ids.
     *
     * @param start the first id; empty for the first document
     * @param inclusive whether the document with this id is included
     */
    public List<SearchDocument> documents(
            String project, IndexName index, String start, boolean inclusive, int limit) {
        if (limit < 0 || limit > SearchLimits.RESULTS_MAX) {
            throw PetrichorException.invalid(
                    "The limit is {limit}; it must be from 0 to {limitMax}.",
                    "limit",
                    limit,
                    "limitMax",
                    SearchLimits.RESULTS_MAX);
        }
        List<SearchDocument> found = new ArrayList<>();
        KeyRange range =
                start.isEmpty()
                        ? SearchRows.documents(index)
                        : SearchRows.documentsFrom(index, start);
        long bytes = 0;
        try (Snapshot rows = database(project).snapshot();
                RowCursor cursor = rows.scan(range, Direction.FORWARD);
                MemoryBudget.Reservation reserved = memory.reservation()) {
            while (found.size() < limit && cursor.next()) {
                Cancellation.checkCurrent();
                byte[] value = cursor.value();
                bytes += value.length;
                if (bytes > SearchLimits.RESPONSE_BYTES_MAX || !reserved.add(value.length)) {
                    throw PetrichorException.of(
                            ErrorCode.RESOURCE_EXHAUSTED,
                            "The listed documents do not fit in a response; ask for fewer.");
                }
                SearchDocument document = DocumentCodec.decode(value);
                if (inclusive || !document.id().equals(start)) {
                    found.add(document);
                }
            }
        }
        return found;
    }

    /**
     * Indexes in the order of their names.
     *
     * @param namespace null for all
     */
    public List<IndexInfo> indexes(String project, @Nullable String namespace) {
        List<IndexInfo> found = new ArrayList<>();
        KeyRange range = namespace == null ? SearchRows.states() : SearchRows.states(namespace);
        try (Snapshot rows = database(project).snapshot();
                RowCursor cursor = rows.scan(range, Direction.FORWARD)) {
            while (cursor.next()) {
                Cancellation.checkCurrent();
                State state = SearchRows.decodeState(cursor.value());
                IndexName name = SearchRows.index(cursor.key());
                Row schema = rows.get(SearchRows.schema(name));
                found.add(
                        new IndexInfo(
                                name,
                                schema == null
                                        ? IndexSchema.EMPTY
                                        : SearchRows.decodeSchemas(schema.value()).listed(),
                                state.documents(),
                                state.bytes(),
                                settings.indexBytesMax()));
            }
        }
        return found;
    }

    /**
     * Removes an empty index; of one with documents, forgets the listed schema, which the next puts
     * build again.
     */
    public void deleteSchema(String project, IndexName index) {
        Database database = database(project);
        if (!exists(database, project, index)) {
            return;
        }
        boolean removed =
                indexes.use(
                        database,
                        project,
                        index,
                        open -> open.exclusively(() -> deleteSchema(database, index)));
        if (removed) {
            indexes.forget(project, index);
        } else {
            indexes.close(project, index);
        }
    }

    private static boolean deleteSchema(Database database, IndexName index) {
        while (true) {
            List<RowWrite> writes = new ArrayList<>();
            CommitRequest request;
            boolean last;
            boolean empty;
            try (Snapshot rows = database.snapshot()) {
                Row state = rows.get(SearchRows.state(index));
                Row schema = rows.get(SearchRows.schema(index));
                empty = state == null || SearchRows.decodeState(state.value()).documents() == 0;
                if (empty) {
                    addChanges(rows, index, writes);
                }
                last = writes.size() < ROWS_PER_REMOVAL;
                if (last && empty && state != null) {
                    writes.add(new RowWrite(state.key(), null, state));
                }
                if (last && schema != null) {
                    writes.add(new RowWrite(schema.key(), remaining(empty, schema), schema));
                }
                List<byte[]> keys = writes.stream().map(RowWrite::key).toList();
                request = new CommitRequest(rows.version(), List.of(), List.of(), keys, writes);
            }
            if (!writes.isEmpty()) {
                commit(database, request);
            }
            if (last) {
                return empty;
            }
        }
    }

    private static byte @Nullable [] remaining(boolean empty, Row schema) {
        return empty
                ? null
                : SearchRows.encode(
                        new Schemas(
                                SearchRows.decodeSchemas(schema.value()).indexed(),
                                IndexSchema.EMPTY));
    }

    private static void addChanges(Snapshot rows, IndexName index, List<RowWrite> writes) {
        try (RowCursor changes = rows.scan(SearchRows.changesFrom(index, 0), Direction.FORWARD)) {
            while (writes.size() < ROWS_PER_REMOVAL && changes.next()) {
                writes.add(
                        new RowWrite(
                                changes.key(),
                                null,
                                new Row(changes.key(), changes.version(), changes.value())));
            }
        }
    }

    private static void commit(Database database, CommitRequest request) {
        switch (database.commit(request).join()) {
            case CommitResult.Committed _ -> {}
            case CommitResult.Conflict _ ->
                    throw PetrichorException.of(
                            ErrorCode.ABORTED, "The search index was written meanwhile; retry.");
            case CommitResult.Refused(PetrichorException reason) -> throw reason;
            case CommitResult.Unknown(PetrichorException reason) -> throw reason;
        }
    }

    public SearchMetrics metrics() {
        return metrics;
    }

    public int openIndexes() {
        return indexes.ready().size();
    }

    /** Changes that are not yet durable in copies: a crash applies them again. */
    public long uncommittedChanges() {
        return indexes.ready().stream().mapToLong(OpenIndex::lag).sum();
    }

    /** Periodic work: makes changes of copies durable, closes idle copies. */
    public void tidy() {
        indexes.tidy();
    }

    @Override
    public void close() {
        indexes.close();
    }
}
