package petrichor.frontends.datastore;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import org.jspecify.annotations.Nullable;
import petrichor.frontends.http.Page;

/**
 * Streams a response from a dedicated virtual thread. Requests the next piece when the previous one
 * is written, so that a slow client holds at most one piece. The connection closes after the
 * response.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel
final class StreamedResponse {
    private final ChannelHandlerContext ctx;
    private final Page.Rest rest;

    StreamedResponse(ChannelHandlerContext ctx, Page.Rest rest) {
        this.ctx = ctx;
        this.rest = rest;
    }

    void send(HttpReply reply, boolean headOnly) {
        HttpResponse head = reply.head();
        head.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        ctx.writeAndFlush(head);
        if (headOnly) {
            rest.close();
            end();
        } else {
            Thread.ofVirtual().name("streamed response").start(this::sendPieces);
        }
    }

    private void sendPieces() {
        try (rest) {
            boolean listening = true;
            for (byte[] piece = next(); piece != null && listening; piece = next()) {
                ChannelFuture written =
                        ctx.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(piece)));
                listening = written.awaitUninterruptibly().isSuccess();
            }
        } finally {
            end();
        }
    }

    private byte @Nullable [] next() {
        return ctx.channel().isActive() ? rest.get() : null;
    }

    private void end() {
        ctx.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
                .addListener(ChannelFutureListener.CLOSE);
    }
}
