package petrichor.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import petrichor.base.Cancellation;
import petrichor.rpc.Locality;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.v1.RoutedCommitRequest;

/**
 * Lets the owner of a database execute a commit that this server prepared.
 *
 * @param here executed if this server is the owner
 */
record CommitCall(
        RoutedCommitRequest commit,
        Supplier<CompletableFuture<byte[]>> here,
        Cancellation cancellation)
        implements RoutedCall {
    static final String SERVICE = "petrichor.rpc.v1.Commits";
    static final String METHOD = SERVICE + "/Commit";

    @Override
    public String method() {
        return METHOD;
    }

    @Override
    public String database() {
        return commit.getDatabase();
    }

    @Override
    public Locality locality() {
        return Locality.OWNER;
    }

    @Override
    public byte[] body() {
        return commit.toByteArray();
    }

    @Override
    public CompletableFuture<byte[]> execute() {
        return here.get();
    }
}
