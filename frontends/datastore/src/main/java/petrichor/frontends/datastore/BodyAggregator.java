package petrichor.frontends.datastore;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;

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
        ctx.writeAndFlush(HttpReply.tooLarge(bytesMax).last())
                .addListener(ChannelFutureListener.CLOSE);
    }
}
