package petrichor.services.channels;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.services.channels.ChannelOwner.Closing;
import petrichor.services.channels.ChannelOwner.End;
import petrichor.services.channels.ChannelOwner.Opening;
import petrichor.services.channels.ChannelOwner.Polled;
import petrichor.services.channels.ChannelOwner.Receipt;
import petrichor.services.channels.ChannelOwner.Refusal;
import petrichor.services.channels.ChannelOwner.Registered;
import petrichor.services.channels.ChannelOwner.Report;
import petrichor.transactions.NotSequencedHere;

/**
 * The channels of one app at the owner of its database, for one opening of that database.
 * Thread-safe: one lock guards everything; polls and reports are completed outside of it.
 */
final class ProjectChannels {
    /** An app may use this part of the memory for channels, so that some is left for others. */
    private static final int MEMORY_PARTS = 2;

    private final String project;
    private final Resources resources;
    private final long registration;
    private final Map<String, ClientChannel> channels = new HashMap<>();
    private final Map<String, ConnectedServer> servers = new HashMap<>();
    private long heldBytes;
    private boolean closed;

    /**
     * What all apps share.
     *
     * @param reports accepts a client's id and whether it is connected; does not block
     */
    record Resources(
            ChannelLimits limits,
            MemoryBudget memory,
            TimeSource time,
            ChannelCounters counters,
            Reports reports) {}

    /** Sends reports of presence in the background. */
    interface Reports {
        /**
         * @param sent runs when the app has answered
         */
        void send(String project, String clientId, boolean connected, Runnable sent);
    }

    /**
     * @param registration random
     */
    ProjectChannels(String project, long registration, Resources resources) {
        this.project = project;
        this.registration = registration;
        this.resources = resources;
    }

    /** Work that must not run under the lock. */
    private static final class After {
        private final List<Runnable> work = new ArrayList<>();

        void add(Runnable one) {
            work.add(one);
        }

        void run() {
            work.forEach(Runnable::run);
        }
    }

    // ---- the app

    /** RESOURCE_EXHAUSTED if the limit of channels is reached. */
    synchronized void create(String clientId, long expiresMicros) {
        requireOpen();
        channel(clientId, expiresMicros).extend(expiresMicros);
    }

    /** RESOURCE_EXHAUSTED if there is no memory for the message. */
    void send(String clientId, byte[] message) {
        After after = new After();
        synchronized (this) {
            requireOpen();
            long until =
                    resources.time().epochMicros() + ChannelLimits.UNKNOWN_CLIENT.toNanos() / 1_000;
            ClientChannel channel = channel(clientId, until);
            while (!channel.canHold(message.length)) {
                byte[] oldest = channel.discardOldest();
                if (oldest == null) {
                    throw new IllegalStateException("more messages are on their way than allowed");
                }
                release(ClientChannel.cost(oldest));
                resources.counters().discarded(1);
            }
            reserve(ClientChannel.cost(message));
            channel.add(message);
            resources.counters().accepted();
            serve(channel, after);
        }
        after.run();
    }

    private ClientChannel channel(String clientId, long expiresMicros) {
        ClientChannel known = channels.get(clientId);
        if (known != null) {
            return known;
        }
        if (channels.size() >= resources.limits().channelsPerApp()) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the app {project} has {channelsMax} channels, the most that are possible; let"
                            + " tokens expire sooner, or raise channels.per-app",
                    "project",
                    project,
                    "channelsMax",
                    resources.limits().channelsPerApp());
        }
        reserve(ChannelLimits.CHANNEL_BYTES);
        ClientChannel fresh = new ClientChannel(clientId, expiresMicros);
        channels.put(clientId, fresh);
        return fresh;
    }

    private void reserve(long bytes) {
        MemoryBudget memory = resources.memory();
        boolean fair = heldBytes + bytes <= memory.bytesMax() / MEMORY_PARTS;
        if (!fair || !memory.tryReserve(bytes)) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "undelivered messages of channels take all memory for them, of which one app"
                            + " may use {bytesMax} bytes; nothing was done. Send less, or raise the"
                            + " heap",
                    "bytesMax",
                    memory.bytesMax() / MEMORY_PARTS);
        }
        heldBytes += bytes;
    }

    private void release(long bytes) {
        heldBytes -= bytes;
        resources.memory().release(bytes);
    }

    private void requireOpen() {
        if (closed) {
            throw new NotSequencedHere(project);
        }
    }

    // ---- servers with connections

    Registered register(String server, List<Opening> openings) {
        After after = new After();
        List<Refusal> refused = new ArrayList<>();
        synchronized (this) {
            requireOpen();
            long now = resources.time().monotonicNanos();
            ConnectedServer at = servers.computeIfAbsent(server, _ -> new ConnectedServer(now));
            at.heard(now);
            for (Opening opening : openings) {
                End refusal = connect(opening, at, after);
                if (refusal != null) {
                    refused.add(new Refusal(opening.connection(), refusal));
                }
            }
        }
        after.run();
        return new Registered(registration, refused);
    }

    /** Null if the connection is the client's from now on. */
    private @Nullable End connect(Opening opening, ConnectedServer at, After after) {
        ClientChannel channel;
        try {
            channel = channel(opening.clientId(), opening.expiresMicros());
        } catch (PetrichorException full) {
            return End.FULL;
        }
        ClientChannel.Connected current = channel.connected();
        if (current != null && !current.connection().equals(opening.connection())) {
            if (!opening.first()) {
                return End.REPLACED;
            }
            var _ = current.server().remove(current.connection());
            current.server().replaced(current.connection());
            answer(current.server(), after);
        }
        channel.extend(opening.expiresMicros());
        channel.connect(new ClientChannel.Connected(opening.connection(), at));
        at.add(opening.connection(), channel);
        if (opening.first()) {
            channel.presence().arrives();
        } else {
            channel.presence().arrivedBefore();
        }
        reportPresence(channel, after);
        serve(channel, after);
        return null;
    }

    CompletableFuture<Polled> poll(String server, long registered, Cancellation within) {
        CompletableFuture<Polled> polled = new CompletableFuture<>();
        After after = new After();
        synchronized (this) {
            requireOpen();
            ConnectedServer at = servers.get(server);
            if (at == null || registered != registration) {
                return CompletableFuture.completedFuture(Polled.UNREGISTERED);
            }
            CompletableFuture<Polled> former = at.takePoll();
            if (former != null) {
                after.add(() -> former.complete(Polled.NOTHING));
            }
            at.heard(resources.time().monotonicNanos());
            at.begin(polled);
            answer(at, after);
        }
        after.run();
        within.onCancel(() -> abandon(server, polled));
        return polled;
    }

    /** The server that polls has failed or gives up. */
    private synchronized void abandon(String server, CompletableFuture<Polled> polled) {
        ConnectedServer at = servers.get(server);
        if (at != null && at.isWaiting(polled)) {
            var _ = at.takePoll();
            at.heard(resources.time().monotonicNanos());
        }
    }

    void report(String server, Report report) {
        After after = new After();
        synchronized (this) {
            requireOpen();
            ConnectedServer at = servers.get(server);
            if (at == null || report.registration() != registration) {
                return;
            }
            for (Receipt receipt : report.receipts()) {
                ClientChannel channel = at.channel(receipt.connection());
                if (channel != null) {
                    receive(channel, receipt, after);
                }
            }
            for (Closing closing : report.closings()) {
                ClientChannel channel = at.remove(closing.connection());
                if (channel != null) {
                    disconnect(channel, closing.clean(), after);
                }
            }
        }
        after.run();
    }

    private void receive(ClientChannel channel, Receipt receipt, After after) {
        for (byte[] message = channel.written(receipt.written());
                message != null;
                message = channel.written(receipt.written())) {
            release(ClientChannel.cost(message));
            resources.counters().delivered();
        }
        if (receipt.resendAfter() >= 0) {
            channel.sendAgainAfter(receipt.resendAfter());
        }
        serve(channel, after);
    }

    private void disconnect(ClientChannel channel, boolean clean, After after) {
        channel.disconnect();
        if (clean) {
            channel.presence().leaves();
        } else {
            channel.presence().breaks(resources.time().monotonicNanos());
        }
        reportPresence(channel, after);
    }

    private void serve(ClientChannel channel, After after) {
        ClientChannel.Connected to = channel.connected();
        if (to != null && channel.ready()) {
            to.server().ready(channel);
            answer(to.server(), after);
        }
    }

    private void answer(ConnectedServer server, After after) {
        if (!server.hasNews()) {
            return;
        }
        CompletableFuture<Polled> waiting = server.takePoll();
        if (waiting != null) {
            server.heard(resources.time().monotonicNanos());
            Polled news = server.news();
            after.add(() -> waiting.complete(news));
        }
    }

    // ---- presence

    private void reportPresence(ClientChannel channel, After after) {
        if (channel.presence().beginReport()) {
            boolean state = channel.presence().present();
            after.add(
                    () ->
                            resources
                                    .reports()
                                    .send(
                                            project,
                                            channel.clientId(),
                                            state,
                                            () -> reported(channel, state)));
        }
    }

    /** The state may have changed again meanwhile. */
    private void reported(ClientChannel channel, boolean state) {
        After after = new After();
        synchronized (this) {
            channel.presence().endReport(state);
            if (!closed) {
                reportPresence(channel, after);
            }
        }
        after.run();
    }

    // ---- time

    /** Ends polls that wait for long, and removes what has expired. */
    void sweep() {
        After after = new After();
        synchronized (this) {
            long now = resources.time().monotonicNanos();
            Iterator<ConnectedServer> each = servers.values().iterator();
            while (each.hasNext()) {
                ConnectedServer server = each.next();
                CompletableFuture<Polled> overdue = server.takeOverduePoll(now);
                if (overdue != null) {
                    server.heard(now);
                    after.add(() -> overdue.complete(Polled.NOTHING));
                } else if (server.silent(now)) {
                    each.remove();
                    for (String connection : server.connections()) {
                        ClientChannel channel = server.remove(connection);
                        if (channel != null) {
                            disconnect(channel, true, after);
                        }
                    }
                }
            }
            sweepChannels(now, after);
        }
        after.run();
    }

    private void sweepChannels(long nowNanos, After after) {
        long nowMicros = resources.time().epochMicros();
        Iterator<ClientChannel> each = channels.values().iterator();
        while (each.hasNext()) {
            ClientChannel channel = each.next();
            if (channel.presence().overdue(nowNanos)) {
                channel.presence().leaves();
                reportPresence(channel, after);
            }
            if (channel.isOver(nowMicros)) {
                each.remove();
                resources.counters().discarded(channel.queued());
                release(channel.memory() + ChannelLimits.CHANNEL_BYTES);
            }
        }
    }

    synchronized int channels() {
        return channels.size();
    }

    synchronized int queued() {
        return channels.values().stream().mapToInt(ClientChannel::queued).sum();
    }

    /** Another server owns the database now: polls continue there. */
    void close() {
        After after = new After();
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            for (ConnectedServer server : servers.values()) {
                CompletableFuture<Polled> waiting = server.takePoll();
                if (waiting != null) {
                    after.add(() -> waiting.completeExceptionally(new NotSequencedHere(project)));
                }
            }
            resources.counters().discarded(queued());
            servers.clear();
            channels.clear();
            release(heldBytes);
        }
        after.run();
    }
}
