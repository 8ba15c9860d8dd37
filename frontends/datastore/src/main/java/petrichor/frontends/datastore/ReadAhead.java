package petrichor.frontends.datastore;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Notices that a client left while its request is carried out. Without reading, a closed connection
 * looks like a patient client; so one read is outstanding during a request, and what it brings (a
 * pipelined request) waits here, at most one read's worth. Belongs to its event loop.
 */
final class ReadAhead extends ChannelInboundHandlerAdapter {
    private final Queue<Object> kept = new ArrayDeque<>();
    private @Nullable ChannelHandlerContext context;
    private boolean keeping;

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    /** A request is being carried out, and the channel does not read by itself. */
    void begin() {
        if (!keeping && context != null) {
            keeping = true;
            context.read();
        }
    }

    /** What came meanwhile is passed on. */
    void end() {
        keeping = false;
        if (context == null || kept.isEmpty()) {
            return;
        }
        // Passing one on may begin the next request, behind which the others wait again.
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
