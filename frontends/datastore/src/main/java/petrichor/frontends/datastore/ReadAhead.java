package petrichor.frontends.datastore;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Detects a disconnect of the client while its request is executed. Without reading, a closed
 * connection is not noticed. Therefore one read is outstanding during a request, and its data (a
 * pipelined request) is kept here, at most one read's worth. Confined to its event loop.
 */
final class ReadAhead extends ChannelInboundHandlerAdapter {
    private final Queue<Object> kept = new ArrayDeque<>();
    private @Nullable ChannelHandlerContext context;
    private boolean keeping;

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    /** Starts when a request is executed; the channel does not read automatically. */
    void begin() {
        if (!keeping && context != null) {
            keeping = true;
            context.read();
        }
    }

    /** Passes on the data that arrived meanwhile. */
    void end() {
        keeping = false;
        if (context == null || kept.isEmpty()) {
            return;
        }
        // Passing on one message may start the next request, for which the others wait again.
        while (!keeping && !kept.isEmpty()) {
            context.fireChannelRead(kept.remove());
        }
        context.fireChannelReadComplete();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (keeping) {
            kept.add(message);
        } else {
            ctx.fireChannelRead(message);
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        for (Object left : kept) {
            ReferenceCountUtil.release(left);
        }
        kept.clear();
    }
}
