package petrichor.frontends.datastore;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Passes on requests for pages that stream as {@link StreamedRequest}, when their headers have
 * arrived, and adds their bytes to its body. Other requests pass unchanged. Confined to its event
 * loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel
final class BodyStreaming extends ChannelInboundHandlerAdapter {
    private final HttpRequests requests;
    private final RequestBudget budget;
    private final long stallNanos;

    /** The body that is arriving; null if none is streamed. */
    private @Nullable StreamedBody body;

    /** The body of the latest streamed request, which may have arrived already. */
    private @Nullable StreamedBody latest;

    private boolean refused;
    private boolean reading;

    BodyStreaming(FrontEndSettings.Limits limits, RequestBudget budget, HttpRequests requests) {
        this.requests = requests;
        this.budget = budget;
        this.stallNanos = limits.requestWithin().toNanos();
    }

    /**
     * A request whose body is still arriving.
     *
     * @param body closed by the receiver
     */
    record StreamedRequest(HttpRequest head, StreamedBody body) {}

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (refused) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof HttpRequest head
                && head.decoderResult().isSuccess()
                && requests.streams(head)) {
            begin(ctx, head);
        } else if (body != null && message instanceof HttpContent content) {
            add(body, content);
        } else {
            ctx.fireChannelRead(message);
        }
    }

    private void begin(ChannelHandlerContext ctx, HttpRequest head) {
        RequestBudget.Share share = budget.share();
        PetrichorException full = share.charge(StreamedBody.WINDOW_BYTES);
        if (full != null) {
            refused = true;
            ctx.fireUserEventTriggered(
                    HttpReply.complaint(
                            new Failure(full.code(), String.valueOf(full.getMessage()))));
            return;
        }
        boolean waits = HttpUtil.is100ContinueExpected(head);
        StreamedBody.Connection connection =
                new StreamedBody.Connection() {
                    @Override
                    public void begin() {
                        if (waits) {
                            ctx.writeAndFlush(
                                    new DefaultFullHttpResponse(
                                            HttpVersion.HTTP_1_1,
                                            HttpResponseStatus.CONTINUE,
                                            Unpooled.EMPTY_BUFFER));
                        }
                    }

                    @Override
                    public void read() {
                        ctx.executor().execute(() -> readIfAccepted(ctx));
                    }
                };
        StreamedBody fresh = new StreamedBody(connection, share, stallNanos);
        body = fresh;
        latest = fresh;
        reading = false;
        ctx.fireChannelRead(new StreamedRequest(head, fresh));
    }

    private void add(StreamedBody to, HttpContent content) {
        if (content.decoderResult().isFailure()) {
            content.release();
            to.fail(
                    PetrichorException.invalid(
                            "the request's body is not encoded as HTTP/1.1 demands: {reason}",
                            "reason",
                            String.valueOf(content.decoderResult().cause().getMessage())));
            body = null;
            refused = true; // what follows has no known meaning
            return;
        }
        to.add(content.content());
        if (content instanceof LastHttpContent) {
            to.end();
            body = null;
        }
    }

    /** One read at a time; the channel does not read automatically during a request. */
    private void readIfAccepted(ChannelHandlerContext ctx) {
        if (body != null && !reading && body.acceptsMore()) {
            reading = true;
            ctx.read();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        reading = false;
        if (body != null) {
            body.flush();
            readIfAccepted(ctx);
        }
        // The handlers behind this one would read again, as nothing has arrived for them.
        if (latest == null || latest.isClosed()) {
            ctx.fireChannelReadComplete();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail();
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        fail();
    }

    private void fail() {
        if (body != null) {
            body.fail(
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            "the client disconnected before it had sent the complete body"));
            body = null;
        }
    }
}
