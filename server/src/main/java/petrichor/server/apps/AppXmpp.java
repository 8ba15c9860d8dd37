package petrichor.server.apps;

import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.MemoryBudget;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.server.config.AppServiceSettings;
import petrichor.server.metrics.Readings;
import petrichor.services.xmpp.IncomingStanza;
import petrichor.services.xmpp.Xmpp;
import petrichor.services.xmpp.XmppLimits;
import petrichor.transactions.Databases;

/** Assembles XMPP for apps. Thread-safe. */
final class AppXmpp implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppXmpp.class);

    /** Share of the process's memory for stanzas that wait for their apps. */
    private static final int INCOMING_PERCENT = 5;

    private static final int KEEP_S = 2;

    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final Supplier<Databases> databases;
    private final Supplier<Set<String>> receiving;
    private final AppRequests apps;
    private final Xmpp xmpp;
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofVirtual().name("xmpp-clock").factory());

    /**
     * @param databases of the current data, which a reset replaces
     * @param receiving apps that receive stanzas
     * @param apps receive stanzas
     */
    AppXmpp(
            AppServiceSettings.ChatServer settings,
            Supplier<Databases> databases,
            Supplier<Set<String>> receiving,
            MemoryBudget memory,
            AppRequests apps) {
        this.databases = databases;
        this.receiving = receiving;
        this.apps = apps;
        this.xmpp =
                new Xmpp(
                        settings.server(),
                        new XmppLimits(settings.rate()),
                        this::deliver,
                        memory.sharePercent("incoming XMPP stanzas", INCOMING_PERCENT),
                        TimeSource.SYSTEM,
                        workers);
    }

    Xmpp xmpp() {
        return xmpp;
    }

    void start() {
        var _ = clock.scheduleWithFixedDelay(this::keep, 0, KEEP_S, TimeUnit.SECONDS);
    }

    private void keep() {
        try {
            xmpp.keep(receiving.get(), this::isHere);
        } catch (RuntimeException e) {
            LOG.warn("could not check the XMPP connections; trying again", e);
        }
    }

    private boolean isHere(String project) {
        try {
            return databases.get().open(project).sequencedHere();
        } catch (PetrichorException | NotOwner elsewhere) {
            return false;
        }
    }

    /** As a form, like App Engine. */
    private boolean deliver(String project, IncomingStanza stanza) {
        String boundary = UUID.randomUUID().toString();
        StringBuilder form = new StringBuilder();
        field(form, boundary, "from", stanza.from());
        field(form, boundary, "to", stanza.to());
        stanza.content().body().ifPresent(body -> field(form, boundary, "body", body));
        stanza.content().show().ifPresent(show -> field(form, boundary, "show", show));
        stanza.content().status().ifPresent(status -> field(form, boundary, "status", status));
        field(form, boundary, "stanza", stanza.xml());
        form.append("--").append(boundary).append("--\r\n");
        return apps.post(
                project,
                "/_ah/xmpp/" + stanza.kind().path() + "/",
                "multipart/form-data; boundary=" + boundary,
                form.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static void field(StringBuilder form, String boundary, String name, String value) {
        form.append("--")
                .append(boundary)
                .append("\r\nContent-Disposition: form-data; name=\"")
                .append(name)
                .append("\"\r\nContent-Type: text/plain; charset=\"utf-8\"\r\n\r\n")
                .append(value)
                .append("\r\n");
    }

    /** All are 0 without an XMPP server. */
    static MetricSnapshots metrics(Optional<AppXmpp> connected) {
        Xmpp.Metrics now =
                connected.map(one -> one.xmpp.metrics()).orElse(new Xmpp.Metrics(0, 0, 0));
        return new Readings()
                .gauge(
                        "petrichor_xmpp_connections",
                        "Apps that are connected to the XMPP server.",
                        now.connected())
                .counter(
                        "petrichor_xmpp_stanzas_sent_total",
                        "Messages and presences of apps that the XMPP server acknowledged.",
                        now.sent())
                .counter(
                        "petrichor_xmpp_stanzas_refused_total",
                        "Messages and presences that their app did not accept.",
                        now.refused())
                .snapshots();
    }

    @Override
    public void close() {
        clock.shutdownNow();
        xmpp.close();
        workers.shutdownNow();
    }
}
