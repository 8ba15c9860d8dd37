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

/**
 * Collects a request's decompressed body up to a limit; beyond it, responds with an error and
 * closes the connection.
 */
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

    /**
     * A client that sends Expect: 100-continue receives the same error as one that sends the body
     * directly.
     */
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
