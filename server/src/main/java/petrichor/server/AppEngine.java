package petrichor.server;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Supplier;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.frontends.appengine.AppEngineFrontEnd;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.Tickets;
import petrichor.frontends.appengine.memcache.MemcacheService;
import petrichor.frontends.http.Page;
import petrichor.rpc.Rpc;
import petrichor.services.cache.Caches;
import petrichor.services.cache.LruCaches;
import petrichor.transactions.Databases;

/** Assembles the services for App Engine apps. Thread-safe. */
final class AppEngine implements AutoCloseable {
    private final Tickets tickets = new Tickets(TimeSource.SYSTEM, new SecureRandom());
    private final Caches caches;
    private final AppEngineFrontEnd frontEnd;

    /**
     * @param databases of the current data, which a reset replaces
     * @param memory of the process
     */
    AppEngine(
            AppSettings settings,
            Supplier<Databases> databases,
            Rpc rpc,
            MemoryBudget memory,
            PrometheusRegistry registry) {
        this.caches =
                new LruCaches(
                        databases,
                        memory.share("app cache", settings.cacheBytes()),
                        TimeSource.SYSTEM);
        this.frontEnd =
                new AppEngineFrontEnd(
                        services(), tickets, settings.defaultProject(), rpc, memory, registry);
    }

    private List<BundledService> services() {
        return List.of(new MemcacheService(caches, TimeSource.SYSTEM));
    }

    List<Page> pages() {
        return frontEnd.pages();
    }

    @Override
    public void close() {
        caches.close();
    }
}
