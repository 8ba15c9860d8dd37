package petrichor.apps.router;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.http.StrictRequestDecoder;

/**
 * An HTTP/1.1 connection of a client, or one stream of its HTTP/2 connection. Requests of a
 * connection are answered one after the other; of what a client sends ahead, the router reads one
 * buffer, and the rest waits in the client's socket. Confined to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel
final class ClientConnection extends Lane.Timed {
    /**
     * How long the rest of a request is discarded after the response. Closing at once would reset
     * the connection, and the client could lose the response (RFC 9112, section 9.6).
     */
    private static final Duration LINGER_MAX = Duration.ofSeconds(2);

    private final RouterCore core;
    private final Lane lane;
    private final Link link;
    private final ChannelHandler events = new Events();
    private final Deque<HttpObject> ahead = new ArrayDeque<>();
    private @Nullable ChannelHandlerContext context;
    private @Nullable ClientExchange exchange;
    private State state = State.IDLE;
    private long since = Lane.now();
    private int requests;
    private boolean draining;

    /** The next message is the end of a request without a body, which needs no attention. */
    private boolean endPending;

    private enum State {
        IDLE,
        RUNNING,
        /** The response was sent; the rest of the request is discarded. */
        DISCARDING,
        /** Likewise, and the connection closes afterwards. */
        LINGERING,
        CLOSED
    }

    /** How the client is connected. */
    sealed interface Link {
        /** Whether with TLS. */
        boolean secure();

        /** Whether the client is a server of the cluster, by its certificate. */
        default boolean ofServer() {
            return false;
        }
    }

    record Http1(ClientResponseEncoder encoder, Security security) implements Link {
        @Override
        public boolean secure() {
            return security != Security.CLEAR;
        }

        @Override
        public boolean ofServer() {
            return security == Security.SERVER;
        }
    }

    /** How a connection is protected. */
    enum Security {
        CLEAR,
        TLS,
        /** TLS with a certificate of a server of the cluster. */
        SERVER
    }

    record Http2Stream(boolean secure) implements Link {}

    ClientConnection(RouterCore core, Lane lane, Link link) {
        this.core = core;
        this.lane = lane;
        this.link = link;
    }

    ChannelHandler events() {
        return events;
    }

    private ChannelHandlerContext context() {
        if (context == null) {
            throw new IllegalStateException("the handler is not in a pipeline yet");
        }
        return context;
    }

    RouterCore core() {
        return core;
    }

    Lane lane() {
        return lane;
    }

    Link link() {
        return link;
    }

    Channel channel() {
        return context().channel();
    }

    InetSocketAddress remoteAddress() {
        Channel socket =
                switch (link) {
                    case Http1 _ -> channel();
                    case Http2Stream _ -> channel().parent();
                };
        return (InetSocketAddress) socket.remoteAddress();
    }

    void write(Object message) {
        context().write(message, context().voidPromise());
    }

    void flush() {
        context().flush();
    }

    boolean isWritable() {
        return channel().isWritable();
    }

    /** Whether the response to the current request may leave the connection open. */
    boolean mayStayOpen() {
        return requests < core.limits().connections().requestsMax();
    }

    /** Reads as much as the exchange wants. */
    void adjustReading() {
        boolean wanted =
                switch (state) {
                    case RUNNING ->
                            exchange == null
                                    || (exchange.isRequestComplete()
                                            ? ahead.isEmpty()
                                            : exchange.wantsBody());
                    case IDLE, DISCARDING, LINGERING, CLOSED -> true;
                };
        channel().config().setAutoRead(wanted);
    }

    /** The response is complete and written. */
    void ended(boolean keepAlive, boolean requestComplete) {
        exchange = null;
        since = Lane.now();
        boolean stream = link instanceof Http2Stream;
        if (stream && requestComplete) {
            state = State.CLOSED;
            return;
        }
        if (stream) {
            // not reset at once: clients that are still sending would lose the response
            state = State.DISCARDING;
        } else if (!keepAlive && requestComplete) {
            state = State.CLOSED;
            releaseAhead();
            closeWhenWritten();
        } else if (!keepAlive) {
            linger();
        } else if (!requestComplete) {
            state = State.DISCARDING;
        } else {
            state = State.IDLE;
        }
        adjustReading();
        drain();
    }

    private void closeWhenWritten() {
        ChannelFuture written = context().writeAndFlush(Unpooled.EMPTY_BUFFER);
        written.addListener(ChannelFutureListener.CLOSE);
    }

    private void linger() {
        state = State.LINGERING;
        releaseAhead();
        ChannelFuture written = context().writeAndFlush(Unpooled.EMPTY_BUFFER);
        written.addListener(
                _ -> {
                    if (!link.secure() && channel() instanceof DuplexChannel duplex) {
                        duplex.shutdownOutput();
                    }
                });
    }

    /** The response cannot be completed: the client must notice it. */
    void abort() {
        exchange = null;
        state = State.CLOSED;
        releaseAhead();
        reset(Http2Error.INTERNAL_ERROR);
        channel().close();
    }

    private void reset(Http2Error error) {
        if (link instanceof Http2Stream && channel().isActive()) {
            context().writeAndFlush(new DefaultHttp2ResetFrame(error));
        }
    }

    /** Gives the connection to a tunnel. */
    void detach() {
        exchange = null;
        state = State.CLOSED;
        lane.forget(this);
    }

    /** Removes HTTP; bytes that are already here go to the handler that was added last. */
    void removeHttp() {
        var pipeline = channel().pipeline();
        pipeline.remove(events);
        pipeline.remove(ClientResponseEncoder.class);
        pipeline.remove(StrictRequestDecoder.class);
    }

    private void receive(HttpObject message) {
        if (endPending) {
            endPending = false;
            ReferenceCountUtil.release(message);
            return;
        }
        if (message instanceof HttpRequest request) {
            endPending = isComplete(request) && !(message instanceof HttpContent);
        }
        if (ahead.isEmpty() && isReady()) {
            take(message);
        } else if (state == State.LINGERING || state == State.CLOSED) {
            ReferenceCountUtil.release(message);
        } else {
            ahead.add(message);
            adjustReading();
        }
    }

    /** Whether the next message can be used now. */
    private boolean isReady() {
        return switch (state) {
            case IDLE, DISCARDING -> true;
            case RUNNING -> exchange != null && !exchange.isRequestComplete();
            case LINGERING, CLOSED -> false;
        };
    }

    private void take(HttpObject message) {
        if (state != State.DISCARDING) {
            dispatch(message);
            return;
        }
        ReferenceCountUtil.release(message);
        if (message instanceof LastHttpContent) {
            state = State.IDLE;
            since = Lane.now();
        }
    }

    private void dispatch(HttpObject message) {
        if (message instanceof HttpRequest request) {
            requests++;
            state = State.RUNNING;
            ClientExchange next = new ClientExchange(this, headOf(request), isComplete(request));
            exchange = next;
            if (link instanceof Http1 http1) {
                http1.encoder().respondTo(request.method().name().equals("HEAD"));
            }
            next.start();
            if (message instanceof HttpContent content) {
                content.release();
            }
        } else if (exchange != null && message instanceof HttpContent content) {
            exchange.clientSent(content);
        } else {
            ReferenceCountUtil.release(message);
        }
        adjustReading();
    }

    private boolean isComplete(HttpRequest request) {
        return switch (link) {
            case Http1 _ -> {
                String length = request.headers().get(HttpHeaderNames.CONTENT_LENGTH, "0");
                yield length.equals("0") && !HttpUtil.isTransferEncodingChunked(request);
            }
            case Http2Stream _ -> request instanceof LastHttpContent;
        };
    }

    /** Over HTTP/2, the head of a request without a body is its end too. */
    private static HttpRequest headOf(HttpRequest request) {
        if (!(request instanceof HttpContent)) {
            return request;
        }
        HttpRequest head =
                new DefaultHttpRequest(
                        request.protocolVersion(),
                        request.method(),
                        request.uri(),
                        request.headers());
        head.setDecoderResult(request.decoderResult());
        return head;
    }

    /** Uses what was sent ahead. */
    private void drain() {
        if (draining) {
            return;
        }
        draining = true;
        try {
            while (!ahead.isEmpty() && isReady()) {
                take(ahead.remove());
            }
        } finally {
            draining = false;
        }
        adjustReading();
        if (exchange != null) {
            exchange.clientPaused();
        }
    }

    private void releaseAhead() {
        ahead.forEach(ReferenceCountUtil::release);
        ahead.clear();
    }

    @Override
    void check(long nowNanos) {
        long lasted = nowNanos - since;
        switch (state) {
            case IDLE -> {
                boolean connection = link instanceof Http1;
                if (connection && lasted > core.limits().connections().idleMax().toNanos()) {
                    channel().close();
                }
            }
            case RUNNING -> {
                if (exchange != null) {
                    exchange.check(nowNanos);
                }
            }
            case DISCARDING, LINGERING -> {
                if (lasted > LINGER_MAX.toNanos()) {
                    reset(Http2Error.NO_ERROR);
                    channel().close();
                }
            }
            case CLOSED -> {}
        }
    }

    /** Closes the connection at once if it is idle, otherwise after the current response. */
    void shutDown() {
        requests = Integer.MAX_VALUE / 2;
        if (state == State.IDLE) {
            channel().close();
        }
    }

    private final class Events extends ChannelInboundHandlerAdapter {
        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context = ctx;
            lane.watch(ClientConnection.this);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof HttpObject part) {
                receive(part);
            } else {
                ReferenceCountUtil.release(message);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            if (exchange != null) {
                exchange.clientPaused();
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (exchange != null && ctx.channel().isWritable()) {
                exchange.clientWritable();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            lane.forget(ClientConnection.this);
            releaseAhead();
            ClientExchange current = exchange;
            exchange = null;
            state = State.CLOSED;
            if (current != null) {
                current.clientGone();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
