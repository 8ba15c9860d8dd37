package petrichor.entities;

import com.google.datastore.v1.AllocateIdsRequest;
import com.google.datastore.v1.AllocateIdsResponse;
import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.BeginTransactionResponse;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.ReserveIdsRequest;
import com.google.datastore.v1.ReserveIdsResponse;
import com.google.datastore.v1.RollbackRequest;
import com.google.datastore.v1.RollbackResponse;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunAggregationQueryResponse;
import com.google.datastore.v1.RunQueryRequest;
import java.util.concurrent.CompletableFuture;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.transactions.Databases;

/**
 * The eight operations of google.datastore.v1 on all databases of a store. Safe for any thread;
 * calls block for reads, a commit completes later. Failures are {@link PetrichorException}s with
 * the code and text that the API documents.
 */
public final class Datastore {
    private final Databases databases;
    private final TimeSource time;

    public Datastore(Databases databases, TimeSource time) {
        this.databases = databases;
        this.time = time;
    }

    public LookupResult lookup(LookupRequest request) {
        throw unfinished();
    }

    public QueryResult runQuery(RunQueryRequest request) {
        throw unfinished();
    }

    public RunAggregationQueryResponse runAggregationQuery(RunAggregationQueryRequest request) {
        throw unfinished();
    }

    public BeginTransactionResponse beginTransaction(BeginTransactionRequest request) {
        throw unfinished();
    }

    /** Completes on the committer's thread. */
    public CompletableFuture<CommitResponse> commit(CommitRequest request) {
        throw unfinished();
    }

    public RollbackResponse rollback(RollbackRequest request) {
        throw unfinished();
    }

    public AllocateIdsResponse allocateIds(AllocateIdsRequest request) {
        throw unfinished();
    }

    public ReserveIdsResponse reserveIds(ReserveIdsRequest request) {
        throw unfinished();
    }

    private PetrichorException unfinished() {
        return new PetrichorException(
                ErrorCode.UNIMPLEMENTED,
                "being built at " + time.epochMicros() + " over " + databases.names());
    }
}
