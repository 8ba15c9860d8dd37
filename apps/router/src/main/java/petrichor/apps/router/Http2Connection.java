package petrichor.apps.router;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Error;
import org.jspecify.annotations.Nullable;

/**
 * The connection that carries the streams of an HTTP/2 client: ends it when it is idle, or when it
 * has carried its number of requests. Confined to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel
final class Http2Connection extends Lane.Timed {
    private final Lane lane;
    private final RouterLimits.Connections limits;
    private final ChannelHandler events = new Events();
    private @Nullable ChannelHandlerContext context;
    private int streams;
    private int requests;
    private long idleSince = Lane.now();
    private boolean leaving;

    Http2Connection(Lane lane, RouterLimits.Connections limits) {
        this.lane = lane;
        this.limits = limits;
    }

    ChannelHandler events() {
        return events;
    }

    void opened(Channel stream) {
        streams++;
        requests++;
        stream.closeFuture().addListener(_ -> closed());
        if (requests >= limits.requestsMax()) {
            shutDown();
        }
    }

    private void closed() {
        streams--;
        idleSince = Lane.now();
        if (leaving && streams == 0 && context != null) {
            context.close();
        }
    }

    /** Accepts no further streams, and closes after the last one. */
    void shutDown() {
        ChannelHandlerContext ctx = context;
        if (leaving || ctx == null) {
            return;
        }
        leaving = true;
        ctx.writeAndFlush(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR));
        if (streams == 0) {
            ctx.close();
        }
    }

    @Override
    void check(long nowNanos) {
        if (streams == 0 && nowNanos - idleSince > limits.idleMax().toNanos()) {
            shutDown();
        }
    }

    private final class Events extends ChannelInboundHandlerAdapter {
        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context = ctx;
            lane.watch(Http2Connection.this);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            lane.forget(Http2Connection.this);
            ctx.fireChannelInactive();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
