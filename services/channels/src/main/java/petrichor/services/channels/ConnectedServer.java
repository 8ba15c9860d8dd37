package petrichor.services.channels;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A server with connections of an app's clients, as the owner sees it. Not thread-safe: {@link
 * ProjectChannels} guards it.
 */
final class ConnectedServer {
    private final Map<String, ClientChannel> connections = new HashMap<>();

    /** Channels with a message that can be sent, in the order in which they got one. */
    private final Set<ClientChannel> ready = new LinkedHashSet<>();

    private final List<String> replaced = new ArrayList<>();
    private @Nullable CompletableFuture<ChannelOwner.Polled> poll;
    private long heardNanos;

    ConnectedServer(long nowNanos) {
        this.heardNanos = nowNanos;
    }

    void add(String connection, ClientChannel channel) {
        connections.put(connection, channel);
    }

    /** Null if the server has no such connection. */
    @Nullable ClientChannel remove(String connection) {
        ClientChannel channel = connections.remove(connection);
        if (channel != null) {
            ready.remove(channel);
        }
        return channel;
    }

    @Nullable ClientChannel channel(String connection) {
        return connections.get(connection);
    }

    List<String> connections() {
        return List.copyOf(connections.keySet());
    }

    void replaced(String connection) {
        replaced.add(connection);
    }

    void ready(ClientChannel channel) {
        ready.add(channel);
    }

    void heard(long nowNanos) {
        heardNanos = nowNanos;
    }

    boolean silent(long nowNanos) {
        return poll == null && nowNanos - heardNanos >= ChannelLimits.SERVER_SILENT.toNanos();
    }

    /** A poll that waits for long enough, which the caller answers; null if there is none. */
    @Nullable CompletableFuture<ChannelOwner.Polled> takeOverduePoll(long nowNanos) {
        return nowNanos - heardNanos >= ChannelLimits.POLL.toNanos() ? takePoll() : null;
    }

    @Nullable CompletableFuture<ChannelOwner.Polled> takePoll() {
        CompletableFuture<ChannelOwner.Polled> taken = poll;
        poll = null;
        return taken;
    }

    void begin(CompletableFuture<ChannelOwner.Polled> waiting) {
        poll = waiting;
    }

    @SuppressWarnings("ReferenceEquality") // a future has no other
    boolean isWaiting(CompletableFuture<ChannelOwner.Polled> waiting) {
        return poll == waiting;
    }

    boolean hasNews() {
        return !ready.isEmpty() || !replaced.isEmpty();
    }

    /** Takes what the next answer can contain. */
    ChannelOwner.Polled news() {
        List<String> ended = List.copyOf(replaced);
        replaced.clear();
        List<ChannelOwner.Delivery> deliveries = new ArrayList<>();
        long free = ChannelLimits.POLL_BYTES_MAX;
        Iterator<ClientChannel> channels = ready.iterator();
        while (free > 0 && channels.hasNext()) {
            ClientChannel channel = channels.next();
            ClientChannel.Connected to = channel.connected();
            while (to != null
                    && channel.ready()
                    && (deliveries.isEmpty() || channel.nextBytes() <= free)) {
                free -= channel.nextBytes();
                deliveries.add(channel.send(to.connection()));
            }
            if (channel.ready()) {
                free = 0;
            } else {
                channels.remove();
            }
        }
        return new ChannelOwner.Polled(true, deliveries, ended);
    }
}
