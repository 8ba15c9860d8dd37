package petrichor.apps.router;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.http.StrictResponseDecoder;

/**
 * Connections of one event loop to instances. The most recently used one is taken first, so that
 * surplus ones become idle and are closed. Confined to its event loop.
 */
final class InstancePool {
    private static final int READ_BYTES_MIN = 512;
    private static final int READ_BYTES_INITIAL = 2 << 10;

    private final Lane lane;
    private final RouterLimits limits;
    private final PeerAccess.@Nullable Tls tls;
    private final Map<SocketAddress, Deque<InstanceConnection>> idle = new HashMap<>();

    InstancePool(Lane lane, RouterSettings settings) {
        this.lane = lane;
        this.limits = settings.limits();
        this.tls = settings.peers().flatMap(PeerAccess::tls).orElse(null);
    }

    /** An idle connection; null if there is none. */
    @Nullable InstanceConnection take(InetSocketAddress address) {
        Deque<InstanceConnection> connections = idle.get(address);
        if (connections == null) {
            return null;
        }
        InstanceConnection connection = connections.pollLast();
        while (connection != null && !connection.isActive()) {
            connection = connections.pollLast();
        }
        if (connection != null) {
            lane.forget(connection);
        }
        return connection;
    }

    /** Keeps a connection whose exchange is complete. */
    void put(InstanceConnection connection) {
        Deque<InstanceConnection> connections =
                idle.computeIfAbsent(connection.address(), _ -> new ArrayDeque<>());
        if (connections.size() >= limits.instances().idleConnectionsMax()) {
            connection.close();
            return;
        }
        connections.addLast(connection);
        lane.watch(connection);
    }

    /** Called for connections that close while they are idle. */
    void remove(InstanceConnection connection) {
        lane.forget(connection);
        Deque<InstanceConnection> connections = idle.get(connection.address());
        if (connections != null) {
            connections.remove(connection);
            if (connections.isEmpty()) {
                idle.remove(connection.address());
            }
        }
    }

    private static ChannelHandler handler(
            PeerAccess.Tls security, Channel channel, InetSocketAddress address) {
        return security.connecting()
                .get()
                .newHandler(channel.alloc(), security.name(), address.getPort());
    }

    /** Opens a connection; the callback gets null if the instance is unreachable. */
    void connect(Backend to, Consumer<@Nullable InstanceConnection> then) {
        InetSocketAddress address = to.address();
        PeerAccess.Tls security = to.gate().isPresent() ? tls : null;
        InstanceConnection connection = new InstanceConnection(this, address, limits);
        int buffer = limits.connections().bufferBytes();
        Bootstrap bootstrap =
                new Bootstrap()
                        .group(lane.loop())
                        .channel(Transport.clientChannel())
                        .option(ChannelOption.TCP_NODELAY, true)
                        .option(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                        .option(
                                ChannelOption.RCVBUF_ALLOCATOR,
                                new AdaptiveRecvByteBufAllocator(
                                        READ_BYTES_MIN, READ_BYTES_INITIAL, buffer))
                        .option(
                                ChannelOption.WRITE_BUFFER_WATER_MARK,
                                new WriteBufferWaterMark(buffer / 2, buffer))
                        .option(
                                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                                (int) limits.instances().connectWithin().toMillis())
                        .handler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        if (security != null) {
                                            channel.pipeline()
                                                    .addLast(handler(security, channel, address));
                                        }
                                        connection.install(
                                                channel.pipeline(),
                                                new StrictResponseDecoder(
                                                        limits.responses(), buffer));
                                    }
                                });
        bootstrap
                .connect(address)
                .addListener(connected -> then.accept(connected.isSuccess() ? connection : null));
    }
}
