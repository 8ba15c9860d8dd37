package petrichor.movement;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.Projection;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch;
import com.google.datastore.v1.QueryResultBatch.MoreResultsType;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunQueryRequest;
import com.google.protobuf.ByteString;
import com.google.protobuf.Int32Value;
import com.google.protobuf.Timestamp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.client.DatastoreClient;

/**
 * Exports all entities of a database, in all of its namespaces, as newline JSON, at one read time;
 * later commits are not included. The read time must stay within the server's retention (an hour by
 * default) until the export ends; otherwise the server refuses it, and the export fails. An object
 * performs one export and is confined to one thread; it fetches the next page while it writes the
 * current one.
 */
public final class EntityExport {
    private static final int PAGE_ENTITIES = 300;

    /** The scope of an export. Empty lists mean all namespaces and all kinds. */
    public record Scope(
            DatabaseName database,
            @Nullable Instant readTime,
            List<String> namespaces,
            List<String> kinds) {
        public Scope {
            namespaces = List.copyOf(namespaces);
            kinds = List.copyOf(kinds);
        }
    }

    /** The result of an export; {@code readTime} is the time at which everything was read. */
    public record Summary(long entities, long bytes, int namespaces, Instant readTime) {}

    private final DatastoreClient client;
    private final Scope scope;
    private final Progress progress;
    private @Nullable Timestamp readTime;
    private long entities;
    private long bytes;

    public EntityExport(DatastoreClient client, Scope scope, Progress progress) {
        this.client = client;
        this.scope = scope;
        this.progress = progress;
        this.readTime = scope.readTime() == null ? null : timestamp(scope.readTime());
    }

    /** Appends the lines to {@code out} and leaves it open. */
    public Summary writeTo(Appendable out) {
        List<String> namespaces = namespaces();
        try (ExecutorService fetching = Executors.newVirtualThreadPerTaskExecutor()) {
            for (String namespace : namespaces) {
                if (scope.kinds().isEmpty()) {
                    write(namespace, null, out, fetching);
                }
                for (String kind : scope.kinds()) {
                    write(namespace, kind, out, fetching);
                }
            }
        }
        return new Summary(entities, bytes, namespaces.size(), instant(fixedReadTime()));
    }

    /**
     * Lists the namespaces, and takes the read time of the export from the first response. The
     * query is sent even if the namespaces are given, because of the read time.
     */
    private List<String> namespaces() {
        List<String> found = new ArrayList<>();
        ByteString cursor = ByteString.EMPTY;
        boolean more = true;
        while (more) {
            QueryResultBatch page = page("", keysOf("__namespace__"), cursor);
            for (EntityResult result : page.getEntityResultsList()) {
                // The default namespace has the id 1 instead of a name.
                found.add(result.getEntity().getKey().getPath(0).getName());
            }
            cursor = page.getEndCursor();
            more = goesOn(page);
        }
        return scope.namespaces().isEmpty() ? found : scope.namespaces();
    }

    private void write(
            String namespace, @Nullable String kind, Appendable out, ExecutorService fetching) {
        Query query = entitiesOf(kind);
        Future<QueryResultBatch> next =
                fetching.submit(() -> page(namespace, query, ByteString.EMPTY));
        boolean more = true;
        while (more) {
            QueryResultBatch page = await(next);
            more = goesOn(page);
            if (more) {
                next = fetching.submit(() -> page(namespace, query, page.getEndCursor()));
            }
            for (EntityResult result : page.getEntityResultsList()) {
                write(result.getEntity(), out);
            }
            progress.moved(entities, bytes, -1);
        }
    }

    private void write(Entity entity, Appendable out) {
        String line = EntityJson.line(entity);
        try {
            out.append(line).append('\n');
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        entities++;
        bytes += line.length() + 1L;
    }

    private QueryResultBatch page(String namespace, Query query, ByteString cursor) {
        ReadOptions.Builder options = ReadOptions.newBuilder();
        if (readTime != null) {
            options.setReadTime(readTime);
        }
        QueryResultBatch batch =
                client.runQuery(
                                RunQueryRequest.newBuilder()
                                        .setProjectId(scope.database().project())
                                        .setDatabaseId(scope.database().database())
                                        .setPartitionId(scope.database().partition(namespace))
                                        .setReadOptions(options)
                                        .setQuery(query.toBuilder().setStartCursor(cursor))
                                        .build())
                        .getBatch();
        if (readTime == null) {
            if (!batch.hasReadTime()) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "the server at {address} does not report its read time, so a consistent"
                                + " export is not possible",
                        "address",
                        client.address());
            }
            readTime = batch.getReadTime();
        }
        return batch;
    }

    private Timestamp fixedReadTime() {
        if (readTime == null) {
            throw new IllegalStateException("nothing was read yet");
        }
        return readTime;
    }

    private static QueryResultBatch await(Future<QueryResultBatch> page) {
        try {
            return page.get();
        } catch (java.util.concurrent.ExecutionException failed) {
            if (failed.getCause() instanceof PetrichorException petrichor) {
                throw petrichor;
            }
            throw new CompletionException(failed.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE, interrupted, "the export was interrupted");
        }
    }

    /** Whether another page follows. Other values of more_results may end a batch early. */
    private static boolean goesOn(QueryResultBatch page) {
        MoreResultsType more = page.getMoreResults();
        return more != MoreResultsType.NO_MORE_RESULTS
                && more != MoreResultsType.MORE_RESULTS_AFTER_CURSOR;
    }

    private static Query keysOf(String kind) {
        return Query.newBuilder()
                .addKind(KindExpression.newBuilder().setName(kind))
                .addProjection(Projection.newBuilder().setProperty(key()))
                .build();
    }

    private static Query entitiesOf(@Nullable String kind) {
        Query.Builder query =
                Query.newBuilder()
                        .addOrder(PropertyOrder.newBuilder().setProperty(key()))
                        .setLimit(Int32Value.of(PAGE_ENTITIES));
        if (kind != null) {
            query.addKind(KindExpression.newBuilder().setName(kind));
        }
        return query.build();
    }

    private static PropertyReference key() {
        return PropertyReference.newBuilder().setName("__key__").build();
    }

    private static Timestamp timestamp(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano() / 1_000 * 1_000)
                .build();
    }

    private static Instant instant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }
}
