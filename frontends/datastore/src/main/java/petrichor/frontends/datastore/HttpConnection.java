package petrichor.frontends.datastore;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.compression.StandardCompressionOptions;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpContentDecompressor;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.websocketx.WebSocketHandshakeException;
import io.netty.handler.timeout.WriteTimeoutHandler;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RequestBody;
import petrichor.frontends.http.SocketMessages;

/**
 * One HTTP/1.1 connection. Requests are answered one at a time in order of arrival. While one is
 * being answered nothing more is read, and the next one is not executed while the client has not
 * read the responses before: a client that sends faster than it reads only fills its own socket
 * (back-pressure). Confined to its event loop.
 *
 * <p>gRPC's server closes connections when it shuts down; this handler lets the current request
 * finish first.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel
final class HttpConnection extends ChannelDuplexHandler {
    static final int LINE_BYTES_MAX = 8 << 10;

    private static final Failure INVALID_HEADER =
            new Failure(
                    ErrorCode.INTERNAL,
                    "a header field of the response has an invalid value; change the attribute that"
                            + " it shows");

    /**
     * Small, because a compressed chunk is decompressed as a whole and may expand a thousandfold.
     */
    private static final int CHUNK_BYTES_MAX = 8 << 10;

    private static final int UNPACKED_CHUNK_BYTES_MAX = 16 << 20;
    private static final int COMPRESS_FROM_BYTES = 8 << 10;

    /** Requests that have arrived and are not answered. */
    private static final int PIPELINED_REQUESTS_MAX = 128;

    private final FrontEndSettings.Limits limits;
    private final RequestBudget budget;
    private final HttpRequests requests;
    private final Queue<Turn> waiting = new ArrayDeque<>();
    private final ReadAhead readAhead = new ReadAhead();
    private @Nullable Cancellation running;

    /** The current request if it asks for a WebSocket. */
    private @Nullable WebSocketUpgrade upgrade;

    private boolean busy;
    private boolean draining;

    /** The next items to answer, in order of arrival. */
    private sealed interface Turn {
        record Request(FullHttpRequest request) implements Turn {}

        /** A request whose body is still arriving. */
        record Streamed(BodyStreaming.StreamedRequest request) implements Turn {}

        /**
         * A request refused before it arrived completely; the connection closes after this
         * response.
         */
        record Refusal(HttpReply reply) implements Turn {}

        /** A request that the compressor did not accept; the connection closes afterwards. */
        record Surplus() implements Turn {}
    }

    HttpConnection(FrontEndSettings.Limits limits, RequestBudget budget, HttpRequests requests) {
        this.limits = limits;
        this.budget = budget;
        this.requests = requests;
    }

    void install(ChannelPipeline pipeline, String after) {
        pipeline.addAfter(after, "connection", this);
        pipeline.addAfter(after, "body", new BodyAggregator(limits.requestBytesMax()));
        pipeline.addAfter(after, "intake", new HttpIntake(limits, budget));
        pipeline.addAfter(
                after, "unzip", new HttpContentDecompressor(true, UNPACKED_CHUNK_BYTES_MAX));
        pipeline.addAfter(after, "stream", new BodyStreaming(limits, budget, requests));
        pipeline.addAfter(after, "admission", new HttpAdmission(requests));
        pipeline.addAfter(
                after,
                "zip",
                new Compressor(
                        COMPRESS_FROM_BYTES,
                        PIPELINED_REQUESTS_MAX,
                        StandardCompressionOptions.gzip(1, 15, 8)));
        pipeline.addAfter(after, "linger", new LingeringClose(limits.requestWithin()));
        pipeline.addAfter(after, "write-http", new HttpResponseEncoder());
        pipeline.addAfter(
                after,
                "read-http",
                new HttpStrictness.Decoder(
                        new HttpDecoderConfig()
                                .setMaxInitialLineLength(LINE_BYTES_MAX)
                                .setMaxHeaderSize(limits.headerBytesMax())
                                .setMaxChunkSize(CHUNK_BYTES_MAX)));
        pipeline.addAfter(after, "ahead", readAhead);
        pipeline.addAfter(
                after,
                "write",
                new WriteTimeoutHandler(limits.requestWithin().toMillis(), TimeUnit.MILLISECONDS));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof FullHttpRequest request && !draining) {
            waiting.add(new Turn.Request(request));
            next(ctx);
        } else if (message instanceof BodyStreaming.StreamedRequest request) {
            if (draining) {
                request.body().close();
            } else {
                waiting.add(new Turn.Streamed(request));
                next(ctx);
            }
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    /** A refusal arrives as an {@link HttpReply} event and waits for the turn of its request. */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof HttpReply refusal) {
            waiting.add(new Turn.Refusal(refusal));
            next(ctx);
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    private void next(ChannelHandlerContext ctx) {
        if (busy || draining) {
            return;
        }
        switch (waiting.poll()) {
            case Turn.Request(var request) -> answer(ctx, request);
            case Turn.Streamed(var request) -> answer(ctx, request);
            case Turn.Refusal(var reply) -> send(ctx, reply, false, false);
            case Turn.Surplus _ -> refuseSurplus(ctx);
            case null -> {
                ctx.channel().config().setAutoRead(true);
                readAhead.end();
            }
        }
    }

    private void answer(ChannelHandlerContext ctx, FullHttpRequest request) {
        busy = true;
        ctx.channel().config().setAutoRead(false);
        readAhead.begin();
        boolean keepAlive = HttpUtil.isKeepAlive(request);
        boolean headOnly = request.method().name().equals("HEAD");
        upgrade = WebSocketUpgrade.of(request);
        HttpRequests.Call call;
        try {
            if (request.decoderResult().isFailure()) {
                keepAlive = false;
                call = requests.malformed(request.decoderResult().cause(), limits.headerBytesMax());
            } else {
                Cancellation cancellation = requests.cancellation();
                running = cancellation;
                call =
                        requests.begin(
                                request,
                                ByteBufUtil.getBytes(request.content()),
                                RequestBody.EMPTY,
                                ctx.channel().remoteAddress(),
                                cancellation);
            }
        } finally {
            request.release();
        }
        boolean goOn = keepAlive;
        var _ =
                call.reply()
                        .whenComplete(
                                (reply, failure) -> {
                                    HttpReply answer =
                                            reply == null ? call.unexpected(failure) : reply;
                                    ctx.executor().execute(() -> send(ctx, answer, goOn, headOnly));
                                });
    }

    /** The page reads the body; nothing else is read from the connection meanwhile. */
    private void answer(ChannelHandlerContext ctx, BodyStreaming.StreamedRequest request) {
        busy = true;
        ctx.channel().config().setAutoRead(false);
        boolean keepAlive = HttpUtil.isKeepAlive(request.head());
        boolean headOnly = request.head().method().name().equals("HEAD");
        upgrade = null;
        Cancellation cancellation = HttpRequests.transferCancellation();
        running = cancellation;
        HttpRequests.Call call =
                requests.begin(
                        request.head(),
                        new byte[0],
                        request.body(),
                        ctx.channel().remoteAddress(),
                        cancellation);
        var _ =
                call.reply()
                        .whenComplete(
                                (reply, failure) -> {
                                    HttpReply answer =
                                            reply == null ? call.unexpected(failure) : reply;
                                    ctx.executor()
                                            .execute(
                                                    () -> {
                                                        boolean goOn =
                                                                keepAlive
                                                                        && request.body()
                                                                                .isConsumed();
                                                        request.body().close();
                                                        send(ctx, answer, goOn, headOnly);
                                                    });
                                });
    }

    private void send(
            ChannelHandlerContext ctx, HttpReply reply, boolean keepAlive, boolean headOnly) {
        boolean last = !keepAlive || draining;
        Page.Rest rest = reply.rest();
        if (rest instanceof SocketMessages messages) {
            upgrade(ctx, messages, keepAlive);
            return;
        }
        HttpResponse head;
        try {
            head = rest == null ? reply.response(!headOnly) : reply.head(rest.bytes());
        } catch (IllegalArgumentException invalid) {
            // Netty refuses the value of a header field; without a response, the client would wait
            reply.release();
            send(ctx, HttpReply.complaint(INVALID_HEADER), keepAlive, headOnly);
            return;
        }
        if (rest != null) {
            boolean goOn = !last && rest.bytes() >= 0;
            new StreamedResponse(ctx, rest, goOn).send(head, headOnly, () -> streamed(ctx));
            return;
        }
        if (last) {
            head.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
        running = null;
        var written = ctx.writeAndFlush(head);
        MemoryBudget.Reservation held = reply.held();
        if (held != null) {
            written.addListener(_ -> held.close());
        }
        busy = !last && !ctx.channel().isWritable();
        if (last) {
            draining = true;
            releaseWaiting();
            readAhead.end();
            written.addListener(ChannelFutureListener.CLOSE);
        } else if (busy) {
            written.addListener(_ -> whenRead(ctx));
        } else {
            next(ctx);
        }
    }

    /** This handler is not part of the connection any more when the method returns. */
    private void upgrade(ChannelHandlerContext ctx, SocketMessages messages, boolean keepAlive) {
        WebSocketUpgrade asked = upgrade;
        Cancellation cancellation = running;
        Failure problem = asked == null ? WebSocketUpgrade.NOT_A_HANDSHAKE : asked.problem();
        if (problem != null || asked == null || cancellation == null) {
            messages.close();
            send(
                    ctx,
                    HttpReply.complaint(
                            problem == null ? WebSocketUpgrade.NOT_A_HANDSHAKE : problem),
                    keepAlive,
                    false);
            return;
        }
        try {
            asked.accept(ctx, messages, cancellation);
        } catch (WebSocketHandshakeException malformed) {
            messages.close();
            send(ctx, HttpReply.complaint(WebSocketUpgrade.NOT_A_HANDSHAKE), keepAlive, false);
            return;
        }
        releaseWaiting();
        ctx.channel().config().setAutoRead(true);
        readAhead.end();
    }

    /** A streamed response was written, and the connection stays open. */
    private void streamed(ChannelHandlerContext ctx) {
        running = null;
        whenRead(ctx);
    }

    /** The client has read the last response. */
    private void whenRead(ChannelHandlerContext ctx) {
        busy = false;
        if (draining) {
            ctx.close();
        } else {
            next(ctx);
        }
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (busy) {
            draining = true;
            ctx.channel().closeFuture().addListener(_ -> promise.trySuccess());
        } else {
            ctx.close(promise);
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof HttpObject) {
            ctx.write(message, promise);
        } else {
            // the only other message is gRPC's order to close immediately
            ReferenceCountUtil.release(message);
            ctx.close();
            promise.tryFailure(new ClosedChannelException());
        }
    }

    private void releaseWaiting() {
        for (Turn left : waiting) {
            switch (left) {
                case Turn.Request(var request) -> request.release();
                case Turn.Streamed(var request) -> request.body().close();
                case Turn.Refusal _, Turn.Surplus _ -> {}
            }
        }
        waiting.clear();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (running != null) {
            running.cancel();
        }
        releaseWaiting();
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof DecoderException) {
            waiting.add(
                    isSurplus(cause)
                            ? new Turn.Surplus()
                            : new Turn.Refusal(
                                    HttpReply.complaint(
                                            new Failure(
                                                    ErrorCode.INVALID_ARGUMENT,
                                                    "the body cannot be decompressed according to"
                                                            + " its Content-Encoding"))));
            next(ctx);
            return;
        }
        // a reset or a write timeout: the client has disconnected
        ctx.close();
    }

    /** Netty has no exception for this; it is thrown before anything is decompressed. */
    private static boolean isSurplus(Throwable cause) {
        return cause.getCause() instanceof IllegalStateException tooMany
                && String.valueOf(tooMany.getMessage()).startsWith("maxPipelineDepth");
    }

    /** Does not pass the compressor, which expects one response per request that it accepted. */
    private void refuseSurplus(ChannelHandlerContext ctx) {
        HttpReply reply =
                HttpReply.complaint(
                        new Failure(
                                ErrorCode.RESOURCE_EXHAUSTED,
                                "this connection has "
                                        + PIPELINED_REQUESTS_MAX
                                        + " unanswered requests; wait for responses before you"
                                        + " send more, or open more connections"));
        FullHttpResponse response = reply.response(true);
        response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        draining = true;
        releaseWaiting();
        readAhead.end();
        ctx.pipeline()
                .context(HttpContentCompressor.class)
                .writeAndFlush(response)
                .addListener(ChannelFutureListener.CLOSE);
    }
}
