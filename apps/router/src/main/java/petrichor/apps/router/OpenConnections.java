package petrichor.apps.router;

import io.netty.channel.Channel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The connections of clients, so that they end when the router closes. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close leaves nothing to do
final class OpenConnections {
    private final Map<Channel, Runnable> connections = new ConcurrentHashMap<>();

    /**
     * Adds a connection, or replaces what ends it.
     *
     * @param shutDown lets current requests finish; called on the channel's event loop
     */
    void add(Channel channel, Runnable shutDown) {
        if (connections.put(channel, shutDown) == null) {
            channel.closeFuture().addListener(_ -> connections.remove(channel));
        }
    }

    void shutDown() {
        connections.forEach((channel, shutDown) -> channel.eventLoop().execute(shutDown));
    }

    void close() {
        connections.keySet().forEach(Channel::close);
    }

    boolean isEmpty() {
        return connections.isEmpty();
    }
}
