package petrichor.frontends.datastore;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.ReferenceCountUtil;

/**
 * Refuses a request when its headers arrive, before anything of its body is unpacked, collected or
 * charged to a budget. The refusal ends the connection. Belongs to its event loop.
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
