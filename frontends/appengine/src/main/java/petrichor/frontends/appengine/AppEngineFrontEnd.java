package petrichor.frontends.appengine;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.stream.Collectors;
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
        AppCalls calls = new AppCalls(services);
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

    /** The resources of this front end, for the server that listens. */
    public List<Page> pages() {
        return List.of(remoteApi.page());
    }
}
