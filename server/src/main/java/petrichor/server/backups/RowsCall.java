package petrichor.server.backups;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import petrichor.base.Cancellation;
import petrichor.rpc.Locality;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.v1.RowsRequest;

/**
 * A call that the owner of a database executes.
 *
 * @param here executed if this server is the owner
 */
record RowsCall(
        RowsRequest request, Supplier<CompletableFuture<byte[]>> here, Cancellation cancellation)
        implements RoutedCall {
    static final String SERVICE = "petrichor.rpc.v1.Rows";
    static final String METHOD = SERVICE + "/Call";

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
}
