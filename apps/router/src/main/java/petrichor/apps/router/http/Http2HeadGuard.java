package petrichor.apps.router.http;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.ReferenceCountUtil;

/**
 * Resets an HTTP/2 stream without a scheme, or whose method or path could not be a part of an
 * HTTP/1.1 request line. Netty's translation to HTTP/1.1 refuses them too, but does not release the
 * buffer that it has allocated for the body. Confined to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed reset leaves nothing to do
public final class Http2HeadGuard extends ChannelInboundHandlerAdapter {
    private boolean refused;
    private boolean started;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!started && message instanceof Http2HeadersFrame frame) {
            started = true;
            refused = !isSound(frame.headers());
            if (refused) {
                ctx.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.PROTOCOL_ERROR))
                        .addListener(ChannelFutureListener.CLOSE);
            }
        }
        if (refused) {
            ReferenceCountUtil.release(message);
        } else {
            ctx.fireChannelRead(message);
        }
    }

    private static boolean isSound(Http2Headers headers) {
        CharSequence method = headers.method();
        CharSequence path = headers.path();
        if (method == null || !FramingRules.isToken(method)) {
            return false;
        }
        // RFC 9113, section 8.3.1: all but CONNECT need both
        return path != null
                && isVisible(path)
                && (headers.scheme() != null || method.toString().equals("CONNECT"));
    }

    private static boolean isVisible(CharSequence path) {
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c <= ' ' || c == 0x7f) {
                return false;
            }
        }
        return !path.isEmpty();
    }
}
