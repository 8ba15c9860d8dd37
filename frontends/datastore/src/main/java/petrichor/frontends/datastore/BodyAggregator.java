package petrichor.frontends.datastore;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/** Collects a request's body, unpacked, up to a limit; beyond it the client is told and dropped. */
final class BodyAggregator extends HttpObjectAggregator {
    private final int bytesMax;

    BodyAggregator(int bytesMax) {
        super(bytesMax, true);
        this.bytesMax = bytesMax;
    }

    @Override
    protected void handleOversizedMessage(ChannelHandlerContext ctx, HttpMessage oversized) {
        ctx.fireUserEventTriggered(HttpReply.tooLarge(bytesMax));
    }

    /** Who asks before sending too much is told the same as who just sends it. */
    @Override
    protected @Nullable Object newContinueResponse(
            HttpMessage start, int maxContentLength, ChannelPipeline pipeline) {
        return HttpUtil.is100ContinueExpected(start)
                        && !isContentLengthInvalid(start, maxContentLength)
                ? new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER)
                : null;
    }
}
