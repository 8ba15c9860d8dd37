package petrichor.frontends.tasks;

import com.google.protobuf.util.JsonFormat;
import io.grpc.ServerServiceDefinition;
import java.util.ArrayList;
import java.util.List;
import petrichor.frontends.http.ApiCalls;
import petrichor.frontends.http.ApiMethod;
import petrichor.frontends.http.GrpcApi;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RestApi;
import petrichor.rpc.Rpc;
import petrichor.services.queues.dispatch.Dispatchers;

/**
 * Serves google.cloud.tasks.v2.CloudTasks. Each server accepts all calls; the owner of a project's
 * default database executes them. Thread-safe.
 */
public final class TasksFrontEnd {
    /** Maximum number of concurrent calls over gRPC; each has a virtual thread. */
    private static final int CALLS_MAX = 1_000;

    private final CloudTasksMethods methods;
    private final Definitions definitions;
    private final ApiCalls calls;

    public TasksFrontEnd(Dispatchers dispatchers, Rpc rpc) {
        QueueResources queues = new QueueResources(dispatchers);
        this.methods = CloudTasksMethods.of(queues, new TaskResources(queues));
        this.definitions = new Definitions(dispatchers);
        List<ApiMethod<?, ?>> all = new ArrayList<>(methods.all());
        all.add(definitions.queuesMethod());
        all.add(definitions.cronMethod());
        this.calls = ApiCalls.register(rpc, all);
    }

    /** The REST endpoints. */
    public List<Page> pages() {
        RestApi rest =
                new RestApi(calls, Page.Lane.CALLS, JsonFormat.TypeRegistry.getEmptyTypeRegistry());
        return new TasksPages(methods, definitions, rest).pages();
    }

    /** The gRPC services. */
    public List<ServerServiceDefinition> services() {
        return new GrpcApi(calls, CALLS_MAX).services(methods.all());
    }
}
