package petrichor.server.apps;

import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.channel.ChannelApi;
import petrichor.frontends.appengine.channel.ChannelCalls;
import petrichor.frontends.appengine.channel.ChannelPages;
import petrichor.frontends.http.Page;
import petrichor.rpc.Rpc;
import petrichor.server.metrics.Readings;
import petrichor.services.channels.ChannelConnections;
import petrichor.services.channels.ChannelLimits;
import petrichor.services.channels.ChannelTokens;
import petrichor.services.channels.Channels;
import petrichor.services.channels.Presence;
import petrichor.transactions.Databases;

/** Assembles the channels of apps to browsers. Thread-safe. */
final class AppChannels implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppChannels.class);

    /** Share of the process's memory for undelivered messages. */
    private static final int QUEUES_PERCENT = 10;

    /** Share for connections and the messages on their way to them. */
    private static final int CONNECTIONS_PERCENT = 10;

    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final Channels channels;
    private final ChannelConnections connections;
    private final ChannelPages pages;
    private final ScheduledExecutorService clock;

    /**
     * @param databases of the current data, which a reset replaces
     * @param apps receive reports of presence
     */
    AppChannels(
            ChannelLimits limits,
            Supplier<Databases> databases,
            Rpc rpc,
            MemoryBudget memory,
            AppRequests apps) {
        SecureRandom random = new SecureRandom();
        ChannelTokens tokens = new ChannelTokens(databases, TimeSource.SYSTEM, random);
        this.channels =
                new Channels(
                        databases,
                        tokens,
                        limits,
                        memory.sharePercent("app channels", QUEUES_PERCENT),
                        presence(apps),
                        TimeSource.SYSTEM,
                        random,
                        workers);
        this.connections =
                new ChannelConnections(
                        new ChannelCalls(channels, rpc),
                        limits,
                        memory.sharePercent("app channel connections", CONNECTIONS_PERCENT),
                        TimeSource.SYSTEM,
                        random,
                        workers);
        this.pages = new ChannelPages(tokens, connections);
        this.clock =
                Executors.newSingleThreadScheduledExecutor(
                        Thread.ofVirtual().name("channel-clock").factory());
        var _ = clock.scheduleWithFixedDelay(this::sweep, 1, 1, TimeUnit.SECONDS);
    }

    private static Presence presence(AppRequests apps) {
        return (project, clientId, connected) -> {
            String path = connected ? "/_ah/channel/connected/" : "/_ah/channel/disconnected/";
            byte[] form =
                    ("from=" + URLEncoder.encode(clientId, StandardCharsets.UTF_8))
                            .getBytes(StandardCharsets.US_ASCII);
            if (apps.reaches(project)
                    && !apps.post(project, path, "application/x-www-form-urlencoded", form)) {
                LOG.debug("the app {} does not accept {}", project, path);
            }
        };
    }

    private void sweep() {
        try {
            channels.sweep();
        } catch (RuntimeException e) {
            LOG.warn("could not remove expired channels; trying again", e);
        }
    }

    BundledService service() {
        return new ChannelApi(channels);
    }

    List<Page> pages() {
        return pages.pages();
    }

    MetricSnapshots metrics() {
        Channels.Metrics now = channels.metrics();
        return new Readings()
                .gauge("petrichor_channels", "Channels of apps.", now.channels())
                .gauge(
                        "petrichor_channel_connections",
                        "Connections of browsers for channels.",
                        connections.open())
                .gauge(
                        "petrichor_channel_messages_queued",
                        "Undelivered messages of channels.",
                        now.queued())
                .counter(
                        "petrichor_channel_messages_accepted_total",
                        "Messages that apps sent to channels.",
                        now.accepted())
                .counter(
                        "petrichor_channel_messages_delivered_total",
                        "Messages of channels that were written to a browser.",
                        now.delivered())
                .counter(
                        "petrichor_channel_messages_discarded_total",
                        "Messages of channels that no browser received in time.",
                        now.discarded())
                .snapshots();
    }

    /** Ends all connections, so that the clients connect to other servers. */
    void drain() {
        connections.close();
        channels.close();
    }

    @Override
    public void close() {
        drain();
        clock.shutdownNow();
        workers.shutdownNow();
    }
}
