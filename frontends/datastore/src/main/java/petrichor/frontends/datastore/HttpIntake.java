package petrichor.frontends.datastore;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Enforces the limits of one HTTP/1.1 connection: a request must arrive completely in time, an idle
 * connection is closed, and the decompressed body is charged to the shared budget and to the
 * connection's share until its response is sent. Uses one timer per connection, which is evaluated
 * when it fires and not with every packet.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close needs no action
final class HttpIntake extends ChannelDuplexHandler {
    private final long requestNanos;
    private final long idleNanos;
    private final RequestBudget.Share share;
    private State state = State.RECEIVING;
    private long since = System.nanoTime();
    private @Nullable Future<?> alarm;

    /** The state of the connection. */
    private enum State {
        IDLE,
        RECEIVING,
        ANSWERING,
        /** A page reads the body as it arrives, and watches its progress. */
        STREAMING,
        REFUSED
    }

    HttpIntake(FrontEndSettings.Limits limits, RequestBudget budget) {
        this.requestNanos = limits.requestWithin().toNanos();
        this.idleNanos = limits.idleWithin().toNanos();
        this.share = budget.share(budget.connection());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        check(ctx);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        share.close();
        if (alarm != null) {
            alarm.cancel(false);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (state == State.REFUSED) {
            ReferenceCountUtil.release(message);
            return;
        }
        if (message instanceof BodyStreaming.StreamedRequest) {
            enter(State.STREAMING);
        }
        if (message instanceof HttpMessage && state != State.RECEIVING) {
            enter(State.RECEIVING);
        }
        if (message instanceof HttpContent content) {
            PetrichorException refused = share.charge(content.content().readableBytes());
            if (refused != null) {
                ReferenceCountUtil.release(message);
                refuse(ctx, refused);
                return;
            }
        }
        if (message instanceof LastHttpContent) {
            enter(State.ANSWERING);
        }
        ctx.fireChannelRead(message);
    }

    private void refuse(ChannelHandlerContext ctx, PetrichorException why) {
        enter(State.REFUSED);
        ctx.fireUserEventTriggered(
                HttpReply.complaint(new Failure(why.code(), String.valueOf(why.getMessage()))));
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        boolean answering = state == State.ANSWERING || state == State.STREAMING;
        if (message instanceof LastHttpContent && answering) {
            enter(State.IDLE);
            share.giveBack();
        }
        ctx.write(message, promise);
    }

    private void enter(State next) {
        state = next;
        since = System.nanoTime();
    }

    private void check(ChannelHandlerContext ctx) {
        long lasted = System.nanoTime() - since;
        long allowed =
                switch (state) {
                    case RECEIVING, REFUSED -> requestNanos;
                    case IDLE -> idleNanos;
                    case ANSWERING, STREAMING -> Long.MAX_VALUE;
                };
        if (lasted >= allowed) {
            ctx.close();
            return;
        }
        // a request may start and stall at any time, so the timer never waits longer than that
        long again = Math.min(requestNanos, allowed - lasted);
        alarm = ctx.executor().schedule(() -> check(ctx), again, TimeUnit.NANOSECONDS);
    }
}
