package petrichor.apps.router;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.router.compression.CompressedBody;
import petrichor.apps.router.compression.CompressionRules;
import petrichor.apps.router.http.ContentCoding;
import petrichor.apps.router.http.FramingRules;
import petrichor.apps.router.http.HeaderRules;
import petrichor.apps.router.table.ErrorPages;

/**
 * One request and its response, seen from the client. {@link RequestDecision} decides what answers
 * it; that {@link Handling} gets the body and sends the response through the methods of this class,
 * which see to the framing, the connection, the log and the limits. Confined to its event loop.
 */
final class ClientExchange {
    private static final Logger LOG = LoggerFactory.getLogger(ClientExchange.class);

    /** A user's session is looked up within this time. */
    private static final Duration DECISION_MAX = Duration.ofSeconds(30);

    private final ClientConnection connection;
    private final RouterCore core;
    private final HttpRequest request;
    private final ExchangeFacts facts;
    private final Deque<HttpContent> held = new ArrayDeque<>(1);
    private final boolean current;
    private final boolean head;
    private final boolean expectsContinue;
    private @Nullable Handling handling;
    private RequestAdmission.@Nullable Place place;
    private @Nullable ErrorPages errorPages;
    private @Nullable CompressedBody compressed;
    private PeerHop.Source source = PeerHop.Source.CLIENT;
    private boolean keepAlive;
    private boolean requestComplete;
    private boolean bodyless;
    private Phase phase = Phase.WAITING;
    private long clientProgress = Lane.now();
    private long unwritten;
    private long bodyBytesMax;

    private enum Phase {
        WAITING,
        RESPONDING,
        TUNNEL,
        ENDED
    }

    /**
     * @param complete whether the request has no body
     */
    ClientExchange(ClientConnection connection, HttpRequest request, boolean complete) {
        this.connection = connection;
        this.core = connection.core();
        this.request = request;
        this.facts = new ExchangeFacts(connection, request);
        this.current = request.protocolVersion().equals(HttpVersion.HTTP_1_1);
        this.head = request.method().name().equals("HEAD");
        this.expectsContinue = request.headers().contains(HttpHeaderNames.EXPECT);
        this.keepAlive = HttpUtil.isKeepAlive(request) && connection.mayStayOpen();
        this.requestComplete = complete;
        this.bodyBytesMax = core.limits().requests().bodyBytesMax();
    }

    void start() {
        try {
            new RequestDecision(core, connection, this, request).run();
        } catch (RuntimeException defect) {
            LOG.error("request {} failed in the router", facts.ids().request(), defect);
            fail(RouterFailure.INTERNAL);
        }
    }

    ExchangeFacts facts() {
        return facts;
    }

    boolean isRequestComplete() {
        return requestComplete;
    }

    /** Whether the request has no body; one that has arrived already waits for its handling. */
    boolean isBodyEmpty() {
        return requestComplete && held.isEmpty();
    }

    boolean hasEnded() {
        return phase == Phase.ENDED;
    }

    boolean isHead() {
        return head;
    }

    /** Whether a body of unknown length can be sent without closing the connection. */
    boolean acceptsChunks() {
        return current;
    }

    boolean wantsBody() {
        return handling != null && handling.wantsBody();
    }

    void admitted(RequestAdmission.Place admitted) {
        this.place = admitted;
    }

    /** The request has been routed elsewhere. */
    void arrived(PeerHop.Source from) {
        source = from;
        if (from == PeerHop.Source.SERVER) {
            facts.loggedElsewhere();
        }
    }

    /** The server that gets the request limits its body itself. */
    void acceptAnyLength() {
        bodyBytesMax = Long.MAX_VALUE;
    }

    /** The request is not admitted any more; it may be admitted again. */
    void leave() {
        if (place != null) {
            place.leave();
            place = null;
        }
    }

    void useErrorPages(ErrorPages pages) {
        this.errorPages = pages;
    }

    /** From now on, the handling answers. It gets what has arrived of the body. */
    void handle(Handling next) {
        handling = next;
        for (HttpContent content = held.poll(); content != null; content = held.poll()) {
            next.clientSent(content);
        }
        next.clientPaused();
        connection.adjustReading();
    }

    /** Reads the body as far as the handling wants it. */
    void adjustReading() {
        connection.adjustReading();
    }

    /** The client waits for this before it sends the body. */
    void sendContinue() {
        if (expectsContinue && !requestComplete && phase == Phase.WAITING) {
            connection.write(
                    new DefaultFullHttpResponse(
                            HttpVersion.HTTP_1_1,
                            HttpResponseStatus.CONTINUE,
                            Unpooled.EMPTY_BUFFER));
            connection.flush();
        }
    }

    void clientSent(HttpContent content) {
        clientProgress = Lane.now();
        int bytes = content.content().readableBytes();
        facts.received(bytes);
        if (content.decoderResult().isFailure()) {
            content.release();
            requestComplete = true;
            keepAlive = false;
            fail(RouterFailure.of(FramingRules.undecodable(content.decoderResult().cause())));
            return;
        }
        if (facts.requestBytes() > bodyBytesMax) {
            content.release();
            fail(RouterFailure.of(FramingRules.tooLarge()));
            return;
        }
        if (content instanceof LastHttpContent last) {
            requestComplete = true;
            HeaderRules.trailers(last.trailingHeaders());
        }
        if (handling == null) {
            held.add(content);
        } else {
            handling.clientSent(content);
        }
    }

    void clientPaused() {
        if (handling != null) {
            handling.clientPaused();
        }
    }

    void clientWritable() {
        clientProgress = Lane.now();
        if (handling != null) {
            handling.clientWritable();
        }
    }

    boolean isClientWritable() {
        return connection.isWritable();
    }

    /** Sends at once what was written, which includes all that was compressed so far. */
    void flush() {
        if (compressed != null) {
            write(compressed.flush());
        }
        connection.flush();
    }

    /** Sends the head of an instance's response, whose body is compressed if that is possible. */
    void respondCompressed(HttpResponse response) {
        HttpHeaders headers = response.headers();
        if (response.status().code() == 304) {
            CompressionRules.confirm(request.headers(), headers);
        }
        if (CompressionRules.isCompressible(request.headers(), response)) {
            CompressionRules.varies(headers);
            compress(headers);
        }
        respond(response);
    }

    private void compress(HttpHeaders headers) {
        ContentCoding coding =
                ContentCoding.preferredBy(request.headers(), CompressedBody::isUsable);
        if (coding == null || !current) {
            return;
        }
        compressed = head ? null : connection.lane().compressors().start(coding);
        if (head || compressed != null) {
            CompressionRules.describe(headers, coding);
        }
    }

    /** Sends the head of the response, with its framing for this client. */
    void respond(HttpResponse response) {
        phase = Phase.RESPONDING;
        int status = response.status().code();
        facts.responded(status);
        HttpHeaders headers = response.headers();
        headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
        bodyless = head || status == 204 || status == 304;
        if (status == 204) {
            headers.remove(HttpHeaderNames.CONTENT_LENGTH);
        }
        if (!headers.contains(HttpHeaderNames.DATE)) {
            headers.set(HttpHeaderNames.DATE, core.date());
        }
        if (facts.cookie() != null) {
            headers.add(HttpHeaderNames.SET_COOKIE, facts.cookie());
        }
        if (connection.link() instanceof ClientConnection.Http1) {
            frame(headers, status);
        }
        response.setProtocolVersion(HttpVersion.HTTP_1_1);
        connection.write(response);
    }

    private void frame(HttpHeaders headers, int status) {
        if (status == 101) {
            return;
        }
        keepAlive &= connection.mayStayOpen();
        boolean hasLength = headers.contains(HttpHeaderNames.CONTENT_LENGTH);
        if (!bodyless && !hasLength) {
            if (current) {
                headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
            } else {
                keepAlive = false;
            }
        }
        if (!keepAlive) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (!current) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
        }
    }

    /** Sends a part of the body, which this method releases. */
    void respond(ByteBuf body) {
        if (bodyless) {
            body.release();
            return;
        }
        write(compressed == null ? body : compressed.add(body));
    }

    private void write(ByteBuf body) {
        if (body.isReadable()) {
            facts.sent(body.readableBytes());
            connection.write(new DefaultHttpContent(body));
        } else {
            body.release();
        }
    }

    /**
     * Sends the last part of the body, which this method releases, and ends the exchange.
     *
     * @param trailers null if there are none
     */
    void respondLast(ByteBuf body, @Nullable HttpHeaders trailers) {
        ByteBuf all = compressed == null ? body : compressed.finish(body);
        ByteBuf rest = bodyless || !all.isReadable() ? release(all) : all;
        facts.sent(rest.readableBytes());
        boolean trailed = trailers != null && !trailers.isEmpty() && !bodyless && current;
        LastHttpContent last =
                trailed || rest.isReadable()
                        ? new DefaultLastHttpContent(rest)
                        : LastHttpContent.EMPTY_LAST_CONTENT;
        if (trailed && trailers != null) {
            HeaderRules.trailers(trailers);
            last.trailingHeaders().set(trailers);
        }
        connection.write(last);
        connection.flush();
        end("");
        connection.ended(keepAlive, requestComplete);
    }

    private static ByteBuf release(ByteBuf body) {
        body.release();
        return Unpooled.EMPTY_BUFFER;
    }

    /** Answers with the given fields and body; closes the connection if a body is on its way. */
    void reply(HttpResponseStatus status, HttpHeaders headers, byte[] body) {
        keepAlive &= requestComplete;
        HttpResponse response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
        response.headers().set(headers);
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.length);
        respond(response);
        respondLast(Unpooled.wrappedBuffer(body), null);
    }

    /** Reports an error: as a page, or by cutting the response off if it has started. */
    void fail(RouterFailure failure) {
        if (phase == Phase.ENDED) {
            return;
        }
        Handling stopped = handling;
        handling = null;
        if (stopped != null) {
            stopped.clientGone();
        }
        facts.failed(failure.reason());
        if (phase != Phase.WAITING) {
            cutOff(failure.reason());
            return;
        }
        if (!facts.isFramed() || failure.status().equals(HttpResponseStatus.BAD_REQUEST)) {
            keepAlive = false;
        }
        ErrorAnswer page =
                ErrorAnswer.of(failure, facts.ids().request(), facts.accept(), errorPages);
        HttpHeaders headers = new DefaultHttpHeaders();
        headers.set(HttpHeaderNames.CONTENT_TYPE, page.contentType());
        headers.set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("X-Request-Id", facts.ids().request());
        if (failure.retryAfter().isPositive()) {
            headers.set(HttpHeaderNames.RETRY_AFTER, failure.retryAfterSeconds());
        }
        if (source == PeerHop.Source.SERVER) {
            PeerHop.failed(headers, failure);
        }
        if (failure.status().equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
            headers.set(HttpHeaderNames.ALLOW, "GET, HEAD");
        }
        reply(failure.status(), headers, page.content());
    }

    /** Ends a response that cannot be completed, so that the client notices. */
    void cutOff(String why) {
        if (phase == Phase.ENDED) {
            return;
        }
        core.metrics().cutOff();
        end(why);
        connection.abort();
    }

    /** The client has disconnected. */
    void clientGone() {
        if (phase == Phase.ENDED) {
            return;
        }
        Handling stopped = handling;
        handling = null;
        end("The client disconnected.");
        if (stopped != null) {
            stopped.clientGone();
        }
    }

    /** The response was sent by a tunnel, which reports its end itself. */
    void tunnel() {
        phase = Phase.TUNNEL;
        handling = null;
        connection.detach();
    }

    /** Ends the exchange of a tunnel. */
    void tunnelClosed(long clientBytes, long instanceBytes) {
        facts.received(clientBytes);
        facts.sent(instanceBytes);
        end("");
    }

    private void end(String failure) {
        phase = Phase.ENDED;
        handling = null;
        held.forEach(ReferenceCountUtil::release);
        held.clear();
        if (compressed != null) {
            compressed.close();
        }
        leave();
        facts.ended(failure);
    }

    ClientConnection connection() {
        return connection;
    }

    void check(long nowNanos) {
        long pending = connection.channel().bytesBeforeWritable();
        if (pending != unwritten) {
            unwritten = pending;
            clientProgress = nowNanos;
        }
        boolean sending = !requestComplete && phase == Phase.WAITING && wantsBody();
        boolean stalled =
                nowNanos - clientProgress > core.limits().connections().stallMax().toNanos();
        if (!isClientWritable() && stalled) {
            Handling stopped = handling;
            handling = null;
            if (stopped != null) {
                stopped.clientGone();
            }
            cutOff("The client did not read the response.");
        } else if (sending && stalled) {
            keepAlive = false;
            fail(RouterFailure.SLOW_REQUEST);
        } else if (handling != null) {
            handling.check(nowNanos);
        } else if (facts.latencyNanos(nowNanos) > DECISION_MAX.toNanos()) {
            fail(RouterFailure.TIMEOUT);
        }
    }
}
