package petrichor.apps.router;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

/** Linux's epoll where it is available, which also notices disconnects without reading. */
final class Transport {
    private static final boolean EPOLL = Epoll.isAvailable();

    private Transport() {}

    static EventLoopGroup eventLoops(int threads) {
        DefaultThreadFactory named = new DefaultThreadFactory("router", true);
        return EPOLL
                ? new EpollEventLoopGroup(threads, named)
                : new NioEventLoopGroup(threads, named);
    }

    static Class<? extends ServerSocketChannel> serverChannel() {
        return EPOLL ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    static Class<? extends SocketChannel> clientChannel() {
        return EPOLL ? EpollSocketChannel.class : NioSocketChannel.class;
    }
}
