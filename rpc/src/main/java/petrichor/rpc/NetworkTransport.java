package petrichor.rpc;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Netty's network transport: Linux's epoll if its native library can be loaded, otherwise the
 * JDK's.
 */
public enum NetworkTransport {
    EPOLL {
        @Override
        public EventLoopGroup threads(String name, int count) {
            return new EpollEventLoopGroup(count, new DefaultThreadFactory(name, true));
        }

        @Override
        public Class<? extends ServerChannel> listening() {
            return EpollServerSocketChannel.class;
        }

        @Override
        public Class<? extends Channel> connected() {
            return EpollSocketChannel.class;
        }
    },
    NIO {
        @Override
        public EventLoopGroup threads(String name, int count) {
            return new NioEventLoopGroup(count, new DefaultThreadFactory(name, true));
        }

        @Override
        public Class<? extends ServerChannel> listening() {
            return NioServerSocketChannel.class;
        }

        @Override
        public Class<? extends Channel> connected() {
            return NioSocketChannel.class;
        }
    };

    private static final Logger LOG = LoggerFactory.getLogger(NetworkTransport.class);

    /**
     * The best one available on this machine. All channels and threads of a process use the same
     * one.
     */
    public static final NetworkTransport AVAILABLE = available();

    private static NetworkTransport available() {
        if (Epoll.isAvailable()) {
            return EPOLL;
        }
        LOG.debug("no epoll: {}", String.valueOf(Epoll.unavailabilityCause()));
        return NIO;
    }

    /** Daemon threads that serve connections. The caller shuts them down. */
    public abstract EventLoopGroup threads(String name, int count);

    /** The type of a listening channel. */
    public abstract Class<? extends ServerChannel> listening();

    /** The type of a channel connected to another server. */
    public abstract Class<? extends Channel> connected();
}
