package petrichor.frontends.datastore;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.ReferenceCountUtil;

/**
 * Refuses requests on arrival of their headers, before any part of the body is decompressed,
 * collected or charged to a budget. A refusal closes the connection. Confined to its event loop.
 */
final class HttpAdmission extends ChannelInboundHandlerAdapter {
    private final HttpRequests requests;
    private boolean refused;

    HttpAdmission(HttpRequests requests) {
        this.requests = requests;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!refused && message instanceof HttpRequest head && head.decoderResult().isSuccess()) {
            HttpReply refusal = requests.refusal(head, ctx.channel().remoteAddress());
            if (refusal != null) {
                refused = true;
                ReferenceCountUtil.release(message);
                ctx.fireUserEventTriggered(refusal);
                return;
            }
        }
        if (refused) {
            ReferenceCountUtil.release(message);
        } else {
            ctx.fireChannelRead(message);
        }
    }
}
