package petrichor.frontends.appengine.datastore;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueAddRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueBulkAddRequest;
import com.google.apphosting.base.protos.api.ApiBasePb.VoidProto;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.BeginTransactionRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.BeginTransactionRequest.TransactionMode;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.CommitResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Cost;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Transaction;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.RollbackRequest;
import com.google.datastore.v1.TransactionOptions;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.entities.Datastore;
import petrichor.frontends.appengine.CallingApp;
import petrichor.transactions.RowWrite;

/** BeginTransaction, Commit, Rollback and AddActions. Thread-safe. */
record TransactionCalls(
        Supplier<Datastore> datastore, AppTransactions transactions, TransactionalActions actions) {

    /** Transactions span any number of entity groups, whether or not the app asks for that. */
    Transaction begin(CallingApp app, BeginTransactionRequest request) {
        AppId.of(app, request.getApp());
        KeyTranslator.requireDefaultDatabase(request.getDatabaseId());
        boolean readOnly = request.getMode() == TransactionMode.READ_ONLY;
        V3Error.check(
                !request.hasPreviousTransaction()
                        || request.getMode() == TransactionMode.READ_WRITE,
                "previous_transaction can only be set in READ_WRITE mode");
        TransactionOptions.Builder options = TransactionOptions.newBuilder();
        if (readOnly) {
            options.setReadOnly(TransactionOptions.ReadOnly.getDefaultInstance());
        } else {
            options.getReadWriteBuilder().setPreviousTransaction(previous(app, request));
        }
        ByteString id =
                datastore
                        .get()
                        .beginTransaction(
                                com.google.datastore.v1.BeginTransactionRequest.newBuilder()
                                        .setProjectId(app.project())
                                        .setTransactionOptions(options)
                                        .build())
                        .getTransaction();
        return Transaction.newBuilder()
                .setHandle(transactions.open().add(app.project(), id, readOnly))
                .setApp(request.getApp())
                .build();
    }

    /** Ends the transaction of which this one is a retry; the retry is served first. */
    private ByteString previous(CallingApp app, BeginTransactionRequest request) {
        if (!request.hasPreviousTransaction()) {
            return ByteString.EMPTY;
        }
        AppId.of(app, request.getPreviousTransaction().getApp());
        long handle = request.getPreviousTransaction().getHandle();
        @Nullable ByteString id = transactions.open().id(app.project(), handle);
        transactions.open().end(app.project(), handle);
        return id == null ? ByteString.EMPTY : id;
    }

    CompletableFuture<CommitResponse> commit(CallingApp app, Transaction named) {
        OpenTransaction transaction = transactions.require(app, named);
        OpenTransaction.Content content = transaction.take();
        transactions.open().end(app.project(), named.getHandle());
        List<RowWrite> rows =
                content.works().stream().flatMap(work -> work.rows().stream()).toList();
        KeyTranslator keys = new KeyTranslator(AppId.of(app, named.getApp()));
        return datastore
                .get()
                .commit(
                        CommitRequest.newBuilder()
                                .setProjectId(app.project())
                                .setMode(CommitRequest.Mode.TRANSACTIONAL)
                                .setTransaction(transaction.id())
                                .addAllMutations(content.mutations())
                                .build(),
                        rows)
                .thenApply(
                        committed -> {
                            content.works().forEach(work -> work.committed().run());
                            return response(content, committed, keys);
                        });
    }

    private static CommitResponse response(
            OpenTransaction.Content content,
            com.google.datastore.v1.CommitResponse committed,
            KeyTranslator keys) {
        CommitResponse.Builder response =
                CommitResponse.newBuilder()
                        .setCost(
                                Cost.newBuilder()
                                        .setEntityWrites(content.mutations().size())
                                        .setIndexWrites(committed.getIndexUpdates()));
        for (int i = 0; i < content.keys().size(); i++) {
            response.addVersionBuilder()
                    .setRootEntityKey(keys.toV3(content.keys().get(i)))
                    .setVersion(committed.getMutationResults(i).getVersion());
        }
        return response.build();
    }

    /** Apps also roll back transactions that have ended; that is not an error. */
    VoidProto rollback(CallingApp app, Transaction named) {
        AppId.of(app, named.getApp());
        ByteString id = transactions.open().id(app.project(), named.getHandle());
        transactions.open().end(app.project(), named.getHandle());
        if (id != null) {
            var _ =
                    datastore
                            .get()
                            .rollback(
                                    RollbackRequest.newBuilder()
                                            .setProjectId(app.project())
                                            .setTransaction(id)
                                            .build());
        }
        return VoidProto.getDefaultInstance();
    }

    VoidProto addActions(CallingApp app, TaskQueueBulkAddRequest request) {
        if (request.getAddRequestCount() == 0) {
            return VoidProto.getDefaultInstance();
        }
        Transaction named = request.getAddRequest(0).getTransaction();
        TaskQueueBulkAddRequest.Builder tasks = TaskQueueBulkAddRequest.newBuilder();
        for (TaskQueueAddRequest task : request.getAddRequestList()) {
            V3Error.check(
                    task.hasTransaction() && task.getTransaction().equals(named),
                    "Cannot add requests to different transactions");
            tasks.addAddRequest(task.toBuilder().clearTransaction());
        }
        var _ = transactions.require(app, named);
        add(app, named, request.getAddRequestCount(), actions.prepare(app, tasks.build()));
        return VoidProto.getDefaultInstance();
    }

    void add(CallingApp app, Transaction named, int count, TransactionalWork work) {
        transactions.requireToWrite(app, named).add(count, work);
    }
}
