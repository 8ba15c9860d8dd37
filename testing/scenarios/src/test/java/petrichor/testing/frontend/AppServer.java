package petrichor.testing.frontend;

import com.google.apphosting.base.protos.api.RemoteApiPb;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.cluster.ClusterNode;
import petrichor.coordination.embedded.EmbeddedLedger;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.AuditLog;
import petrichor.frontends.appengine.AppEngineFrontEnd;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.Tickets;
import petrichor.frontends.appengine.memcache.MemcacheService;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RequestBody;
import petrichor.kv.KeyValueStore;
import petrichor.services.cache.LruCaches;

/** A server of a cluster whose only front end is that of App Engine, with memcache. */
final class AppServer implements AutoCloseable {
    private final PeerServer peer;
    private final LruCaches caches;
    private final Tickets tickets =
            new Tickets(TimeSource.SYSTEM, RandomGenerator.getDefault(), Optional.empty());
    private final Page page;

    /** Joins the cluster. */
    AppServer(KeyValueStore store, EmbeddedLedger ledger) {
        this.peer = new PeerServer(store, ledger);
        MemoryBudget memory = MemoryBudget.of("process", 256 << 20);
        this.caches =
                new LruCaches(
                        () -> node().databases(),
                        memory.share("cache", 64 << 20),
                        TimeSource.SYSTEM);
        this.page =
                new AppEngineFrontEnd(
                                List.of(new MemcacheService(caches, TimeSource.SYSTEM)),
                                tickets,
                                "app",
                                node().rpc(),
                                memory,
                                new PrometheusRegistry())
                        .pages()
                        .getFirst();
        peer.start();
    }

    ClusterNode node() {
        return peer.node();
    }

    /** A ticket that only this server knows. */
    String ticket(String project) {
        return tickets.issue(CallingApp.of(project), Duration.ofMinutes(1));
    }

    /** A call in a request of an app that this server has sent; tokens are required. */
    RemoteApiPb.Response call(String ticket, String method, MessageLite request) {
        byte[] body =
                RemoteApiPb.Request.newBuilder()
                        .setServiceName("memcache")
                        .setMethod(method)
                        .setRequest(request.toByteString())
                        .setRequestId(ticket)
                        .build()
                        .toByteArray();
        Page.Answer answer =
                page.answer()
                        .apply(
                                new Page.Request(
                                        "/rpc_http",
                                        Map.of(),
                                        Map.of(),
                                        body,
                                        "application/octet-stream",
                                        "",
                                        null,
                                        Map.of(),
                                        new AccessAttempt(AuditLog.off(), "http", "call", null),
                                        Cancellation.never(),
                                        new Page.Raw("POST", "/rpc_http", RequestBody.EMPTY)));
        try {
            return RemoteApiPb.Response.parseFrom(answer.body());
        } catch (InvalidProtocolBufferException damaged) {
            throw new AssertionError(damaged);
        }
    }

    /** Simulates kill -9: its lease expires, and its connections close. */
    void die() {
        peer.die();
    }

    @Override
    public void close() {
        peer.close();
        caches.close();
    }
}
