package petrichor.frontends.appengine.datastore;

import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Transaction;
import com.google.datastore.v1.ReadOptions;
import com.google.protobuf.ByteString;
import java.util.function.Supplier;
import petrichor.entities.Datastore;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceError;
import petrichor.transactions.Database;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionOptions;

/** Finds the transactions that requests name. Thread-safe. */
record AppTransactions(Supplier<Datastore> datastore, OpenTransactions open) {

    /**
     * An open transaction of the app; otherwise BAD_REQUEST, or CONCURRENT_TRANSACTION if it ended
     * because its database moved to another server.
     */
    OpenTransaction require(CallingApp app, Transaction named) {
        AppId.of(app, named.getApp());
        OpenTransaction transaction = open.find(app.project(), named.getHandle());
        if (transaction == null) {
            throw missing(app, named.getHandle());
        }
        return transaction;
    }

    /** Like {@link #require}, and keeps it from expiring in the layers below. */
    OpenTransaction requireToWrite(CallingApp app, Transaction named) {
        OpenTransaction transaction = require(app, named);
        TransactionId.parse(transaction.id().toByteArray()).ifPresent(rows(app)::transaction);
        return transaction;
    }

    private Database rows(CallingApp app) {
        return datastore.get().databases().open(app.project(), "").rows();
    }

    private ServiceError missing(CallingApp app, long handle) {
        petrichor.transactions.Transaction probe =
                rows(app).begin(new TransactionOptions.ReadOnly(0));
        ByteString current = ByteString.copyFrom(probe.id().toBytes());
        probe.rollback();
        return OpenTransactions.sameEpoch(handle, current)
                ? V3Error.badRequest(
                        "The referenced transaction has expired or is no longer valid: it was"
                                + " committed, rolled back, or idle too long.")
                : V3Error.conflict(
                        "The transaction started before its database moved to another server, or"
                                + " before the server restarted, and cannot continue. Retry the"
                                + " whole transaction.");
    }

    /** How to read in a request that names this transaction, or none. */
    ReadOptions readOptions(CallingApp app, boolean inTransaction, Transaction named) {
        return inTransaction
                ? ReadOptions.newBuilder().setTransaction(require(app, named).id()).build()
                : ReadOptions.getDefaultInstance();
    }
}
