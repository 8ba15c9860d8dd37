package petrichor.server.upstream;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.entities.Datastore;
import petrichor.frontends.datastore.CallRoute;
import petrichor.frontends.datastore.DatastoreFrontEnd;
import petrichor.frontends.http.Page;
import petrichor.movement.upstream.UpstreamCall;
import petrichor.movement.upstream.Upstreams;
import petrichor.server.config.ServerConfig;

/** The upstream of a server, if it has one. Thread-safe. */
public final class UpstreamService implements AutoCloseable {
    private final Optional<Upstreams> upstreams;

    /**
     * @param datastore of this server, which may be replaced
     */
    public UpstreamService(
            ServerConfig config, Supplier<Datastore> datastore, PrometheusRegistry registry) {
        if (config.store().upstream().isPresent() && config.cluster().coordination().isPresent()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "A server of a cluster cannot have an upstream: move its databases with a"
                            + " standalone server, then start the cluster.");
        }
        this.upstreams =
                config.store()
                        .upstream()
                        .map(UpstreamConnection::settings)
                        .map(settings -> new Upstreams(settings, datastore));
        upstreams.ifPresent(all -> register(all, registry));
    }

    private static void register(Upstreams all, PrometheusRegistry registry) {
        var _ =
                CounterWithCallback.builder()
                        .name("petrichor_upstream_shadow_reads_total")
                        .help("Reads executed at the upstream and here, by comparison of results.")
                        .labelNames("result")
                        .callback(
                                now ->
                                        all.shadowReads()
                                                .forEach((result, n) -> now.call(n, result)))
                        .register(registry);
    }

    public Page page() {
        return new UpstreamPage(upstreams).page();
    }

    /**
     * From now on calls of the API are answered by the side that leads their database.
     *
     * @param names of the databases of this server, whose moves continue
     */
    public void start(DatastoreFrontEnd frontEnd, List<String> names) {
        upstreams.ifPresent(
                all -> {
                    frontEnd.route(
                            call ->
                                    call.project().isEmpty()
                                            ? call.here().apply(call.request()) // refuses it
                                            : all.call(call(call)));
                    all.resume(names);
                });
    }

    /** The store was opened again, perhaps empty. */
    public void reopen(List<String> names) {
        upstreams.ifPresent(all -> all.reopen(names));
    }

    private static UpstreamCall call(CallRoute.Call call) {
        return new UpstreamCall(
                new DatabaseName(call.project(), call.database()),
                call.method(),
                call.request(),
                call.cancellation(),
                call.here());
    }

    @Override
    public void close() {
        upstreams.ifPresent(Upstreams::close);
    }
}
