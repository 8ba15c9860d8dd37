package petrichor.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import petrichor.base.Cancellation;
import petrichor.rpc.Locality;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.v1.ReadVersionRequest;

/**
 * Requests from the owner of a database the version at which other servers may read.
 *
 * @param here executed if this server is the owner
 */
record VersionCall(
        String database, Supplier<CompletableFuture<byte[]>> here, Cancellation cancellation)
        implements RoutedCall {
    static final String SERVICE = "petrichor.rpc.v1.Versions";
    static final String METHOD = SERVICE + "/Newest";

    @Override
    public String method() {
        return METHOD;
    }

    @Override
    public Locality locality() {
        return Locality.OWNER;
    }

    @Override
    public byte[] body() {
        return ReadVersionRequest.newBuilder().setDatabase(database).build().toByteArray();
    }

    @Override
    public CompletableFuture<byte[]> execute() {
        return here.get();
    }
}
