package petrichor.frontends.datastore;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.frontends.http.Page;

/**
 * Streams a response from a dedicated virtual thread. Requests the next piece when the previous one
 * is written, so that a slow client holds at most one piece. If the pieces end early, or the client
 * stops reading, the connection closes before the response is complete, so that the client notices.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel
final class StreamedResponse {
    private static final Logger LOG = LoggerFactory.getLogger(StreamedResponse.class);

    private final ChannelHandlerContext ctx;
    private final Page.Rest rest;
    private final boolean keepAlive;

    /**
     * @param keepAlive whether the connection stays open after the response
     */
    StreamedResponse(ChannelHandlerContext ctx, Page.Rest rest, boolean keepAlive) {
        this.ctx = ctx;
        this.rest = rest;
        this.keepAlive = keepAlive;
    }

    /**
     * @param written called on the event loop after a complete response if the connection stays
     *     open
     */
    void send(HttpResponse head, boolean headOnly, Runnable written) {
        if (!keepAlive) {
            head.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
        ctx.writeAndFlush(head);
        if (headOnly) {
            rest.close();
            end(written);
        } else {
            Thread.ofVirtual().name("streamed response").start(() -> sendPieces(written));
        }
    }

    private void sendPieces(Runnable written) {
        boolean complete = false;
        try (rest) {
            complete = sentAll();
        } catch (RuntimeException failed) {
            LOG.warn("a response ended early: {}", failed.toString());
        }
        if (complete) {
            end(written);
        } else {
            ctx.close();
        }
    }

    private boolean sentAll() {
        long left = rest.bytes() < 0 ? Long.MAX_VALUE : rest.bytes();
        for (byte[] piece = next(); piece != null; piece = next()) {
            ChannelFuture sent =
                    ctx.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(piece)));
            if (!sent.awaitUninterruptibly().isSuccess()) {
                return false;
            }
            left -= piece.length;
        }
        return ctx.channel().isActive() && (left == 0 || rest.bytes() < 0);
    }

    private byte @Nullable [] next() {
        return ctx.channel().isActive() ? rest.get() : null;
    }

    private void end(Runnable written) {
        ChannelFuture last = ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        if (keepAlive) {
            last.addListener(_ -> written.run());
        } else {
            // Not by the channel: the connection would wait for the end of this response.
            last.addListener(_ -> ctx.close());
        }
    }
}
