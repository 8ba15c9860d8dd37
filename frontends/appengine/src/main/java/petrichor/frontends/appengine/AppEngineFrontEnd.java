package petrichor.frontends.appengine;

import com.google.protobuf.ByteString;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.frontends.http.Page;
import petrichor.rpc.Rpc;

/**
 * App Engine's bundled services for unmodified SDKs. The assembly passes the services; their calls
 * arrive on the page {@code /rpc_http}, and are executed on the owner of the app's database.
 * Thread-safe.
 */
public final class AppEngineFrontEnd {
    /** Share of the process's memory for responses that apps have not read yet. */
    private static final int RESPONSES_PERCENT = 10;

    private final AppCalls calls;
    private final Rpc rpc;
    private final RemoteApiPage remoteApi;

    /**
     * @param defaultProject the app of calls in development whose ticket names none
     */
    public AppEngineFrontEnd(
            List<BundledService> services,
            Tickets tickets,
            String defaultProject,
            Rpc rpc,
            MemoryBudget memory,
            PrometheusRegistry registry) {
        this.calls = new AppCalls(services);
        this.rpc = rpc;
        rpc.register(calls);
        this.remoteApi =
                new RemoteApiPage(
                        new AppIdentification(tickets, defaultProject),
                        calls,
                        rpc.routing(),
                        memory.sharePercent("app responses", RESPONSES_PERCENT),
                        new CallMetrics(
                                registry,
                                services.stream()
                                        .map(BundledService::name)
                                        .collect(Collectors.toSet())));
    }

    /**
     * Executes a call of the platform itself for an app, on the owner of its database, and
     * completes with the encoded {@code Response} of the remote API.
     */
    public CompletableFuture<byte[]> call(
            CallingApp app, String api, String method, ByteString request, Cancellation within) {
        return rpc.routing().call(calls.call(app, api, method, request, within));
    }

    /** The resources of this front end, for the server that listens. */
    public List<Page> pages() {
        return List.of(remoteApi.page());
    }
}
