package petrichor.apps.router;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Lets a client of HTTP/2 read why its connection ends. Closing a socket whose input was not read
 * resets the connection, and the client could lose the GOAWAY frame; so the output ends first, and
 * input is discarded until the client closes, too. Confined to its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close leaves nothing to do
final class LingeringClose extends ChannelDuplexHandler {
    private static final int LINGER_MAX_MS = 1_000;

    private final boolean secure;
    private boolean closing;

    /**
     * @param secure whether the end of the output is a message of TLS, which only a close sends
     */
    LingeringClose(boolean secure) {
        this.secure = secure;
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (closing || !ctx.channel().isActive()) {
            ctx.close(promise);
            return;
        }
        closing = true;
        if (!secure && ctx.channel() instanceof DuplexChannel duplex) {
            duplex.shutdownOutput();
        }
        ctx.channel().config().setAutoRead(true);
        ctx.executor().schedule(() -> ctx.close(promise), LINGER_MAX_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (closing) {
            ReferenceCountUtil.release(message);
        } else {
            ctx.fireChannelRead(message);
        }
    }
}
