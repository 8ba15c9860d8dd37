package petrichor.frontends.datastore;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.frontends.http.SocketMessages;

/**
 * One WebSocket. A dedicated virtual thread requests the next message when the previous one is
 * written, so that a slow client holds at most one; a client that reads nothing for the time of a
 * request is disconnected. Pings detect clients that have gone. Other methods are confined to the
 * event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel
final class WebSocketConnection extends ChannelDuplexHandler {
    private static final long PING_S = 25;

    /** Two pings without an answer. */
    private static final long SILENT_S_MAX = 60;

    /** For the client's answer to our close frame. */
    private static final long CLOSE_S_MAX = 5;

    private final SocketMessages messages;
    private final Cancellation cancellation;
    private long heardNanos = System.nanoTime();
    private boolean closing;
    private @Nullable Future<?> alarm;

    WebSocketConnection(SocketMessages messages, Cancellation cancellation) {
        this.messages = messages;
        this.cancellation = cancellation;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        alarm = ctx.executor().schedule(() -> ping(ctx), PING_S, TimeUnit.SECONDS);
        Thread.ofVirtual().name("web socket").start(() -> sendMessages(ctx));
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (alarm != null) {
            alarm.cancel(false);
        }
    }

    private void sendMessages(ChannelHandlerContext ctx) {
        try (messages) {
            boolean listening = true;
            for (byte[] next = next(ctx); next != null && listening; next = next(ctx)) {
                listening =
                        ctx.writeAndFlush(new TextWebSocketFrame(Unpooled.wrappedBuffer(next)))
                                .awaitUninterruptibly()
                                .isSuccess();
            }
        } finally {
            SocketMessages.Close end = messages.end();
            ctx.executor().execute(() -> end(ctx, end.status(), end.reason()));
        }
    }

    private byte @Nullable [] next(ChannelHandlerContext ctx) {
        return ctx.channel().isActive() ? messages.get() : null;
    }

    /** Sends a close frame, and waits some seconds for the client's. */
    private void end(ChannelHandlerContext ctx, int status, String reason) {
        if (closing) {
            return;
        }
        closing = true;
        cancellation.cancel();
        ctx.writeAndFlush(new CloseWebSocketFrame(status, reason));
        handlerRemoved(ctx);
        alarm = ctx.executor().schedule(() -> ctx.close(), CLOSE_S_MAX, TimeUnit.SECONDS);
    }

    private void ping(ChannelHandlerContext ctx) {
        if (System.nanoTime() - heardNanos > TimeUnit.SECONDS.toNanos(SILENT_S_MAX)) {
            ctx.close();
            return;
        }
        if (ctx.channel().isWritable()) {
            ctx.writeAndFlush(new PingWebSocketFrame());
        }
        alarm = ctx.executor().schedule(() -> ping(ctx), PING_S, TimeUnit.SECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        heardNanos = System.nanoTime();
        try {
            switch (message) {
                case CloseWebSocketFrame frame -> closed(ctx, frame);
                case PingWebSocketFrame frame -> pong(ctx, frame);
                case PongWebSocketFrame _ -> {}
                case WebSocketFrame _ ->
                        end(
                                ctx,
                                WebSocketCloseStatus.INVALID_MESSAGE_TYPE.code(),
                                "this server accepts no messages");
                case Object _ -> {} // the end of the request
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    /** The client closes, or has answered our close frame. */
    private void closed(ChannelHandlerContext ctx, CloseWebSocketFrame frame) {
        if (closing) {
            ctx.close();
            return;
        }
        closing = true;
        messages.left();
        int status = frame.statusCode();
        CloseWebSocketFrame answer =
                WebSocketCloseStatus.isValidStatusCode(status)
                        ? new CloseWebSocketFrame(status, "")
                        : new CloseWebSocketFrame();
        ctx.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
    }

    /** A client that sends pings without reading must not fill our memory. */
    private static void pong(ChannelHandlerContext ctx, PingWebSocketFrame frame) {
        if (ctx.channel().isWritable()) {
            ctx.writeAndFlush(new PongWebSocketFrame(frame.content().retain()));
        } else {
            ctx.close();
        }
    }

    /** gRPC's server closes connections when it shuts down: the client gets a close frame first. */
    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        ctx.channel().closeFuture().addListener(_ -> promise.trySuccess());
        cancellation.cancel();
        if (!ctx.channel().isActive()) {
            ctx.close();
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof WebSocketFrame || message instanceof HttpObject) {
            ctx.write(message, promise);
        } else {
            // the only other message is gRPC's order to close immediately
            ReferenceCountUtil.release(message);
            ctx.close();
            promise.tryFailure(new ClosedChannelException());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        closing = true;
        cancellation.cancel();
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close(); // a reset, a write timeout, or not a frame
    }
}
