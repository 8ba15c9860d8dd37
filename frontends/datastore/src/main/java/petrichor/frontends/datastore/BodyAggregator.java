package petrichor.frontends.datastore;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;

/** Collects a request's body, unpacked, up to a limit; beyond it the client is told and dropped. */
@SuppressWarnings("FutureReturnValueIgnored") // the listener closes whatever comes of the write
final class BodyAggregator extends HttpObjectAggregator {
    private final int bytesMax;

    BodyAggregator(int bytesMax) {
        super(bytesMax, true);
        this.bytesMax = bytesMax;
    }

    @Override
    protected void handleOversizedMessage(ChannelHandlerContext ctx, HttpMessage oversized) {
        HttpReply reply = HttpConnection.tooLarge(bytesMax);
        DefaultFullHttpResponse response =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        HttpResponseStatus.valueOf(reply.status()),
                        Unpooled.wrappedBuffer(reply.body()));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, reply.mediaType())
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE)
                .setInt(HttpHeaderNames.CONTENT_LENGTH, reply.body().length);
        ctx.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }
}
