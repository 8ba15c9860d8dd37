package petrichor.server.admin;

import io.grpc.ServerServiceDefinition;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.http.ApiCalls;
import petrichor.frontends.http.GrpcApi;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RestApi;
import petrichor.rpc.Rpc;

/**
 * Serves google.datastore.admin.v1.DatastoreAdmin and google.longrunning.Operations. Each server
 * accepts all calls; the owner of a project's default database executes them.
 */
public final class AdminService implements AutoCloseable {
    /** Maximum number of concurrent calls over gRPC; each has a virtual thread. */
    private static final int CALLS_MAX = 32;

    private final AdminMethods methods;
    private final ApiCalls calls;
    private final Transfers transfers;

    /**
     * @param exports folder for exports and imports; empty refuses them
     */
    public AdminService(
            Supplier<Datastore> datastore, Optional<Path> exports, TimeSource time, Rpc rpc) {
        Supplier<EntityDatabases> databases = () -> datastore.get().databases();
        IndexAdmin indexes = new IndexAdmin(databases, time);
        this.transfers = new Transfers(databases, time);
        this.methods =
                AdminMethods.of(
                        indexes,
                        new TransferAdmin(datastore, new TransferFolder(exports), transfers, time),
                        new OperationAdmin(databases, List.of(indexes, transfers)));
        this.calls = ApiCalls.register(rpc, methods.all());
    }

    /** The REST endpoints. */
    public List<Page> pages() {
        RestApi rest = new RestApi(calls, Page.Lane.WORK, AdminPages.TYPES);
        return new AdminPages(methods, rest).pages();
    }

    /** The gRPC services. */
    public List<ServerServiceDefinition> services() {
        return new GrpcApi(calls, CALLS_MAX).services(methods.all());
    }

    /** Stops running exports and imports. */
    @Override
    public void close() {
        transfers.close();
    }
}
