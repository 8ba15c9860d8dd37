package petrichor.frontends.appengine.datastore;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueBulkAddRequest;
import com.google.apphosting.base.protos.api.ApiBasePb.VoidProto;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.AllocateIdsRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.BeginTransactionRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.DeleteRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.GetIndicesRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.GetRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.NextRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.PutRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Query;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.TouchRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Transaction;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.CompositeIndex;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.transactions.TransactionLimits;

/**
 * The bundled API {@code datastore_v3} over the same {@link Datastore} as the Datastore v1 front
 * end. Runs on the server that owns the databases of the calling apps, and keeps the buffered
 * writes of open transactions and the positions of open queries. Thread-safe.
 */
public final class DatastoreV3 implements BundledService {
    public static final String NAME = "datastore_v3";

    private final EntityCalls entities;
    private final Reads reads;
    private final QueryCalls queries;
    private final TransactionCalls transactions;
    private final IdCalls ids;
    private final IndexCalls indexes;
    private final OpenTransactions open;

    /**
     * The resources of this API.
     *
     * @param limits when transactions expire; the same as of the databases
     * @param memory for the writes of open transactions
     * @param queries memory for the positions of open queries
     * @param chance for names of transactions and queries
     */
    public record Resources(
            TransactionLimits limits,
            MemoryBudget memory,
            MemoryBudget queries,
            TimeSource time,
            RandomGenerator chance) {}

    /**
     * @param datastore the current one: a server replaces it after a reset or a recovery
     * @param actions the task queue
     */
    public DatastoreV3(
            Supplier<Datastore> datastore, TransactionalActions actions, Resources resources) {
        this.open =
                new OpenTransactions(
                        resources.limits(),
                        resources.memory(),
                        resources.time(),
                        resources.chance());
        AppTransactions found = new AppTransactions(datastore, open);
        this.entities = new EntityCalls(datastore, found);
        this.reads = new Reads(datastore, found);
        this.queries =
                new QueryCalls(
                        datastore, found, new OpenQueries(resources.chance(), resources.queries()));
        this.transactions = new TransactionCalls(datastore, found, actions);
        this.ids = new IdCalls(datastore);
        this.indexes = new IndexCalls(datastore);
    }

    @Override
    public String name() {
        return NAME;
    }

    /**
     * Adds the work of another service to an open transaction of the app, for instance for a task
     * whose request names a transaction.
     *
     * @param tasks number of tasks of the work; a transaction has at most five
     * @throws ServiceError with a code of this API if the transaction is not open
     */
    public void addWork(
            CallingApp app, Transaction transaction, int tasks, TransactionalWork work) {
        try {
            transactions.add(app, transaction, tasks, work);
        } catch (PetrichorException e) {
            throw V3Error.of(e);
        }
    }

    /** Open transactions of all apps. */
    public int openTransactions() {
        return open.size();
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        try {
            return dispatch(call)
                    .handle(
                            (response, failure) -> {
                                if (failure != null) {
                                    throw known(failure);
                                }
                                return response.toByteArray();
                            });
        } catch (PetrichorException e) {
            throw V3Error.of(e);
        } catch (InvalidProtocolBufferException e) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    e,
                    "The request of {method} is damaged: {reason}",
                    "method",
                    call.method(),
                    "reason",
                    e.getMessage());
        }
    }

    private static RuntimeException known(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof PetrichorException known) {
            return V3Error.of(known);
        }
        return cause instanceof RuntimeException other ? other : new CompletionException(failure);
    }

    private CompletableFuture<? extends MessageLite> dispatch(ServiceCall call)
            throws InvalidProtocolBufferException {
        CallingApp app = call.app();
        byte[] request = call.request();
        if (call.method().equals("Commit")) {
            return transactions.commit(app, Transaction.parseFrom(request));
        }
        return CompletableFuture.completedFuture(
                switch (call.method()) {
                    case "Get" -> reads.get(app, GetRequest.parseFrom(request));
                    case "Put" -> entities.put(app, PutRequest.parseFrom(request));
                    case "Delete" -> entities.delete(app, DeleteRequest.parseFrom(request));
                    case "Touch" -> entities.touch(app, TouchRequest.parseFrom(request));
                    case "RunQuery" -> queries.run(app, Query.parseFrom(request));
                    case "Next" -> queries.next(app, NextRequest.parseFrom(request));
                    case "Count" -> queries.count(app, Query.parseFrom(request));
                    // Queries keep no state that could be deleted.
                    case "DeleteCursor" -> VoidProto.getDefaultInstance();
                    case "BeginTransaction" ->
                            transactions.begin(app, BeginTransactionRequest.parseFrom(request));
                    case "Rollback" -> transactions.rollback(app, Transaction.parseFrom(request));
                    case "AddActions" ->
                            transactions.addActions(
                                    app, TaskQueueBulkAddRequest.parseFrom(request));
                    case "AllocateIds" -> ids.allocate(app, AllocateIdsRequest.parseFrom(request));
                    case "CreateIndex" -> indexes.create(app, CompositeIndex.parseFrom(request));
                    case "UpdateIndex" -> indexes.update(app, CompositeIndex.parseFrom(request));
                    case "GetIndices" -> indexes.list(app, GetIndicesRequest.parseFrom(request));
                    case "DeleteIndex" -> indexes.delete(app, CompositeIndex.parseFrom(request));
                    default ->
                            throw PetrichorException.of(
                                    ErrorCode.UNIMPLEMENTED,
                                    "{api} has no method {method}",
                                    "api",
                                    NAME,
                                    "method",
                                    call.method());
                });
    }
}
