package petrichor.frontends.datastore;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpContentDecompressor;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection without losing the last response. If a server refuses a request early and
 * closes the connection while the client still sends, the kernel answers those bytes with a reset,
 * and the client reports a broken connection instead of the refusal. Therefore, after a response
 * with {@code Connection: close}, only the outgoing direction is closed, and incoming bytes are
 * discarded until the client closes too, for a limited time and number of bytes (RFC 9112, section
 * 9.6).
 *
 * <p>All other closes, including a second one, take effect immediately. Confined to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close needs no action
final class LingeringClose extends ChannelDuplexHandler {
    private static final Duration LINGER_MAX = Duration.ofSeconds(10);
    private static final long DISCARDED_BYTES_MAX = 64 << 20;

    /** Handlers that hold parts of a request that will not be answered. */
    private static final List<Class<? extends ChannelHandler>> HOLDERS =
            List.of(
                    BodyStreaming.class,
                    HttpContentDecompressor.class,
                    HttpIntake.class,
                    BodyAggregator.class);

    private final Duration timeout;
    private boolean lastAnswerWritten;
    private boolean lingering;
    private long discardedBytes;
    private @Nullable Future<?> alarm;

    LingeringClose(Duration requestWithin) {
        this.timeout = requestWithin.compareTo(LINGER_MAX) < 0 ? requestWithin : LINGER_MAX;
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof HttpResponse answer && !HttpUtil.isKeepAlive(answer)) {
            lastAnswerWritten = true;
        }
        ctx.write(message, promise);
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (lastAnswerWritten && !lingering && ctx.channel() instanceof DuplexChannel channel) {
            channel.closeFuture().addListener(_ -> promise.trySuccess());
            linger(ctx, channel);
        } else {
            ctx.close(promise);
        }
    }

    private void linger(ChannelHandlerContext ctx, DuplexChannel channel) {
        lingering = true;
        for (Class<? extends ChannelHandler> holder : HOLDERS) {
            ctx.pipeline().remove(holder);
        }
        alarm =
                ctx.executor()
                        .schedule(() -> ctx.close(), timeout.toMillis(), TimeUnit.MILLISECONDS);
        SslHandler tls = ctx.pipeline().get(SslHandler.class);
        ChannelFuture said = tls == null ? ctx.newSucceededFuture() : tls.closeOutbound();
        said.addListener(
                _ ->
                        channel.shutdownOutput()
                                .addListener(
                                        shut -> {
                                            if (!shut.isSuccess()) {
                                                ctx.close();
                                            }
                                        }));
        channel.config().setAutoRead(true);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!lingering) {
            ctx.fireChannelRead(message);
            return;
        }
        if (message instanceof HttpContent content) {
            discardedBytes += content.content().readableBytes();
        }
        ReferenceCountUtil.release(message);
        if (discardedBytes > DISCARDED_BYTES_MAX) {
            ctx.close();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (alarm != null) {
            alarm.cancel(false);
        }
    }
}
