package petrichor.apps.router;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.http.StrictResponseDecoder;

/**
 * One connection to an instance, which carries one exchange at a time. It returns to the pool only
 * after an exchange that is complete in both directions; every other end closes it, so that no byte
 * of one exchange can reach another. Confined to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel
final class InstanceConnection extends Lane.Timed {
    private final InstancePool pool;
    private final InetSocketAddress address;
    private final RouterLimits limits;
    private final ChannelHandler events = new Events();
    private @Nullable Channel channel;
    private @Nullable StrictResponseDecoder decoder;
    private @Nullable Forwarding exchange;
    private boolean used;
    private long idleSince;

    InstanceConnection(InstancePool pool, InetSocketAddress address, RouterLimits limits) {
        this.pool = pool;
        this.address = address;
        this.limits = limits;
    }

    void install(ChannelPipeline pipeline, StrictResponseDecoder responses) {
        channel = pipeline.channel();
        decoder = responses;
        pipeline.addLast(responses, new HttpRequestEncoder(), events);
    }

    private Channel channel() {
        if (channel == null) {
            throw new IllegalStateException("the connection is not open yet");
        }
        return channel;
    }

    InetSocketAddress address() {
        return address;
    }

    boolean isActive() {
        return channel().isActive();
    }

    /** Whether it has carried an exchange before, so that the instance may just have closed it. */
    boolean isUsed() {
        return used;
    }

    /** Starts an exchange; the result says whether the head was sent. */
    ChannelFuture begin(Forwarding next, HttpRequest head) {
        exchange = next;
        if (decoder != null) {
            decoder.expectResponseTo(head.method().name().equals("HEAD"));
        }
        return channel().write(head);
    }

    void write(HttpContent content) {
        channel().write(content, channel().voidPromise());
    }

    void flush() {
        channel().flush();
    }

    boolean isWritable() {
        return channel().isWritable();
    }

    /** Back-pressure: whether to read more of the response. */
    void read(boolean more) {
        channel().config().setAutoRead(more);
    }

    /** Ends a complete exchange. */
    void end() {
        exchange = null;
        if (decoder == null || decoder.hasMore()) {
            // the instance sent more than one response
            channel().close();
            return;
        }
        used = true;
        idleSince = Lane.now();
        channel().config().setAutoRead(true);
        pool.put(this);
    }

    /** Ends the exchange in any other way; it gets no more events. */
    void close() {
        exchange = null;
        channel().close();
    }

    /** Gives the connection to a tunnel. */
    Channel detach() {
        exchange = null;
        return channel();
    }

    /** Removes HTTP; bytes that are already here go to the handler that was added last. */
    void removeHttp() {
        ChannelPipeline pipeline = channel().pipeline();
        pipeline.remove(events);
        pipeline.remove(HttpRequestEncoder.class);
        pipeline.remove(StrictResponseDecoder.class);
    }

    @Override
    void check(long nowNanos) {
        if (nowNanos - idleSince > limits.instances().idleMax().toNanos()) {
            close();
        }
    }

    private final class Events extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            Forwarding current = exchange;
            if (current == null) {
                // bytes that no request asked for, or the rest of an exchange that was aborted
                ReferenceCountUtil.release(message);
                ctx.close();
                return;
            }
            if (message instanceof HttpResponse response) {
                current.instanceSent(response);
            }
            if (message instanceof HttpContent content) {
                current.instanceSent(content);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            if (exchange != null) {
                exchange.instancePaused();
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (exchange != null) {
                exchange.instanceWritable();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            Forwarding current = exchange;
            exchange = null;
            pool.remove(InstanceConnection.this);
            if (current != null) {
                current.instanceClosed();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
