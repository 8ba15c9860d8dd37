package petrichor.entities;

import com.google.datastore.v1.AllocateIdsRequest;
import com.google.datastore.v1.AllocateIdsResponse;
import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.BeginTransactionResponse;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.ReserveIdsRequest;
import com.google.datastore.v1.ReserveIdsResponse;
import com.google.datastore.v1.RollbackRequest;
import com.google.datastore.v1.RollbackResponse;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunAggregationQueryResponse;
import com.google.datastore.v1.RunQueryRequest;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import petrichor.base.PetrichorException;
import petrichor.base.StorageQuota;
import petrichor.base.TimeSource;
import petrichor.entities.Validation.Completeness;
import petrichor.entities.query.Queries;
import petrichor.transactions.Databases;
import petrichor.transactions.RowWrite;

/**
 * The eight operations of google.datastore.v1 on all databases of a store. Thread-safe; calls block
 * for reads, a commit completes later. Failures are {@link PetrichorException}s with the code and
 * text that the API documents.
 */
public final class Datastore {
    private final EntityDatabases databases;
    private final ReadContexts contexts;
    private final Commits commits;
    private final Queries queries;
    private volatile StorageQuota quota = StorageQuota.NONE;

    public Datastore(Databases databases, TimeSource time) {
        this(
                new EntityDatabases(databases),
                ReadContexts.Concurrency.OPTIMISTIC,
                Queries.MissingIndexes.CREATE,
                time);
    }

    public Datastore(
            EntityDatabases databases,
            ReadContexts.Concurrency concurrency,
            Queries.MissingIndexes missingIndexes,
            TimeSource time) {
        this.databases = databases;
        this.contexts = new ReadContexts(databases, concurrency);
        this.commits = new Commits(time);
        this.queries = new Queries(contexts, time, missingIndexes);
    }

    /** From now on, commits that would exceed this quota are refused. */
    public void limit(StorageQuota storage) {
        quota = storage;
    }

    private void requireRoom(CommitRequest request) {
        for (Mutation mutation : request.getMutationsList()) {
            if (!mutation.hasDelete()) {
                quota.require(request.getProjectId(), () -> writtenBytes(request));
                return;
            }
        }
    }

    private static long writtenBytes(CommitRequest request) {
        long bytes = 0;
        for (Mutation mutation : request.getMutationsList()) {
            bytes += mutation.hasDelete() ? 0 : mutation.getSerializedSize();
        }
        return bytes;
    }

    public LookupResult lookup(LookupRequest request) {
        try (ReadContext context =
                contexts.open(
                        request.getProjectId(),
                        request.getDatabaseId(),
                        request.getReadOptions(),
                        Lookups.namespace(request))) {
            return Lookups.lookup(context, request);
        }
    }

    public QueryResult runQuery(RunQueryRequest request) {
        return runQuery(request, Limits.RESPONSE_BYTES_MAX);
    }

    /**
     * @param bytesMax encoded size of the results, of which there is at least one
     */
    public QueryResult runQuery(RunQueryRequest request, int bytesMax) {
        return queries.run(request, bytesMax);
    }

    public RunAggregationQueryResponse runAggregationQuery(RunAggregationQueryRequest request) {
        return queries.aggregate(request);
    }

    public BeginTransactionResponse beginTransaction(BeginTransactionRequest request) {
        EntityDatabase database = databases.open(request.getProjectId(), request.getDatabaseId());
        byte[] id = contexts.begin(database, request.getTransactionOptions()).id().toBytes();
        return BeginTransactionResponse.newBuilder()
                .setTransaction(ByteString.copyFrom(id))
                .build();
    }

    /**
     * Completes on the committer's thread. RESOURCE_EXHAUSTED if the project stores as much as it
     * may.
     */
    public CompletableFuture<CommitResponse> commit(CommitRequest request) {
        return commit(request, List.of());
    }

    /**
     * Completes on the committer's thread.
     *
     * @param accompanying rows of another service, written in the same commit as the entities, or
     *     not at all; the request must name a transaction. No other commit may write these keys,
     *     unless each row has its prior row as of the transaction's version
     */
    public CompletableFuture<CommitResponse> commit(
            CommitRequest request, List<RowWrite> accompanying) {
        requireRoom(request);
        EntityDatabase database = databases.open(request.getProjectId(), request.getDatabaseId());
        return commits.commit(database, request, accompanying);
    }

    /**
     * Applies mutations of the platform, outside of transactions: they may write reserved keys,
     * which clients only read, such as those of {@code __BlobInfo__}. Completes on the committer's
     * thread.
     */
    public CompletableFuture<CommitResponse> applyReserved(CommitRequest request) {
        EntityDatabase database = databases.open(request.getProjectId(), request.getDatabaseId());
        return commits.apply(database, request);
    }

    /** Clients also roll back failed or expired transactions; that is not an error. */
    public RollbackResponse rollback(RollbackRequest request) {
        EntityDatabase database = databases.open(request.getProjectId(), request.getDatabaseId());
        ReadContexts.rollback(database, request.getTransaction());
        return RollbackResponse.getDefaultInstance();
    }

    public AllocateIdsResponse allocateIds(AllocateIdsRequest request) {
        EntityDatabase database = databases.open(request.getProjectId(), request.getDatabaseId());
        requireFew("allocate", request.getKeysCount());
        List<Key> keys = new ArrayList<>(request.getKeysCount());
        for (Key given : request.getKeysList()) {
            Key key = ownKey(database, given, Completeness.INCOMPLETE);
            Validation.requireWritable(key);
            keys.add(key);
        }
        AllocateIdsResponse.Builder response = AllocateIdsResponse.newBuilder();
        if (!keys.isEmpty()) {
            long[] ids = database.rows().allocateIds(keys.size());
            for (int i = 0; i < ids.length; i++) {
                response.addKeys(RequestedMutation.withId(keys.get(i), ids[i]));
            }
        }
        return response.build();
    }

    public ReserveIdsResponse reserveIds(ReserveIdsRequest request) {
        EntityDatabase database = databases.open(request.getProjectId(), request.getDatabaseId());
        requireFew("reserve", request.getKeysCount());
        List<Long> ids = new ArrayList<>(request.getKeysCount());
        for (Key given : request.getKeysList()) {
            Key key = ownKey(database, given, Completeness.COMPLETE);
            Validation.requireWritable(key);
            for (Key.PathElement element : key.getPathList()) {
                if (element.hasId()) {
                    ids.add(element.getId());
                }
            }
        }
        if (!ids.isEmpty()) {
            database.rows().reserveIds(ids.stream().mapToLong(Long::longValue).toArray());
        }
        return ReserveIdsResponse.getDefaultInstance();
    }

    /**
     * Allocates consecutive ids, which no other call returns. They are lower than the ids that
     * {@link #allocateIds} scatters.
     *
     * @param count at least one
     */
    public IdRange allocateIdRange(String project, String databaseId, long count) {
        return SequentialIds.allocate(databases.open(project, databaseId).rows(), count);
    }

    /**
     * From now on {@link #allocateIdRange} returns only ids above {@code last}.
     *
     * @return the ids that this call skipped; empty if it skipped none
     */
    public IdRange reserveIdsUpTo(String project, String databaseId, long last) {
        return SequentialIds.reserve(databases.open(project, databaseId).rows(), last);
    }

    /** The databases, for operations outside the API: indexes, checks, a reset. */
    public EntityDatabases databases() {
        return databases;
    }

    private static Key ownKey(EntityDatabase database, Key key, Completeness completeness) {
        return Validation.ownKey(database.project(), database.id(), key, completeness);
    }

    private static void requireFew(String what, int keys) {
        if (keys > Limits.ALLOCATED_KEYS_MAX) {
            throw PetrichorException.invalid(
                    "cannot {operation} more than "
                            + Limits.ALLOCATED_KEYS_MAX
                            + " ids in a single call",
                    "operation",
                    what);
        }
    }
}
