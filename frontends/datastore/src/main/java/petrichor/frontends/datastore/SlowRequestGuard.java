package petrichor.frontends.datastore;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes an HTTP/1.1 connection whose next request takes too long to arrive as a whole, or that has
 * had no request for long. One alarm per connection, looked at when it rings and not with every
 * packet.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close leaves nothing to do
final class SlowRequestGuard extends ChannelDuplexHandler {
    private final long requestNanos;
    private final long idleNanos;
    private State state = State.RECEIVING;
    private long since = System.nanoTime();
    private @Nullable Future<?> alarm;

    /** What the connection is doing. */
    private enum State {
        IDLE,
        RECEIVING,
        ANSWERING
    }

    SlowRequestGuard(FrontEndSettings.Limits limits) {
        this.requestNanos = limits.requestWithin().toNanos();
        this.idleNanos = limits.idleWithin().toNanos();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        look(ctx);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (alarm != null) {
            alarm.cancel(false);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof HttpMessage && state != State.RECEIVING) {
            enter(State.RECEIVING);
        }
        if (message instanceof LastHttpContent) {
            enter(State.ANSWERING);
        }
        ctx.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof LastHttpContent && state == State.ANSWERING) {
            enter(State.IDLE);
        }
        ctx.write(message, promise);
    }

    private void enter(State next) {
        state = next;
        since = System.nanoTime();
    }

    private void look(ChannelHandlerContext ctx) {
        long lasted = System.nanoTime() - since;
        long allowed = state == State.RECEIVING ? requestNanos : idleNanos;
        if (state != State.ANSWERING && lasted >= allowed) {
            ctx.close();
            return;
        }
        long again = Math.min(requestNanos, Math.max(1, allowed - lasted));
        alarm = ctx.executor().schedule(() -> look(ctx), again, TimeUnit.NANOSECONDS);
    }
}
