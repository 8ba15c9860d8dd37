package petrichor.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import petrichor.base.Cancellation;
import petrichor.rpc.Locality;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.v1.RowLocksRequest;

/**
 * Asks the owner of a database for a row lock of a transaction on another server, or reports that
 * the transaction continues or has ended.
 *
 * @param here executed if this server is the owner
 * @param late receives the answer if it arrives after the cancellation
 */
record LockCall(
        RowLocksRequest request,
        Supplier<CompletableFuture<byte[]>> here,
        Cancellation cancellation,
        Consumer<byte[]> late)
        implements RoutedCall {
    static final String SERVICE = "petrichor.rpc.v1.RowLocks";
    static final String METHOD = SERVICE + "/Change";

    @Override
    public String method() {
        return METHOD;
    }

    @Override
    public String database() {
        return request.getDatabase();
    }

    @Override
    public Locality locality() {
        return Locality.OWNER;
    }

    @Override
    public byte[] body() {
        return request.toByteArray();
    }

    @Override
    public CompletableFuture<byte[]> execute() {
        return here.get();
    }

    @Override
    public void answeredLate(byte[] answer) {
        late.accept(answer);
    }
}
