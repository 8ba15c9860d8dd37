package petrichor.apps.router;

import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.http.FramingRules;
import petrichor.apps.router.http.HeaderRules;

/**
 * Sends a request to an instance and its response to the client. Both bodies stream: the side that
 * is faster waits when the buffer of the other connection is full.
 *
 * <p>If the connection fails before a byte of the response, a request is sent once more, to another
 * instance if there is one: any request that was not sent at all, and an idempotent one whose body
 * is still known. A connection from the pool may have been closed by the instance at the same
 * moment; such a failure is repeated on a new connection and does not count as an attempt.
 *
 * <p>Confined to the exchange's event loop.
 */
final class Forwarding implements Handling {
    private static final int ATTEMPTS_MAX = 2;

    private final RouterCore core;
    private final Lane lane;
    private final ClientExchange exchange;
    private final InstanceRequest order;
    private final HttpRequest request;
    private final boolean idempotent;
    private final boolean webSocket;
    private final SentBody body;
    private final PeerHop.State hop = new PeerHop.State();
    private Phase phase = Phase.WAITING;
    private @Nullable CompletableFuture<Backends.Acquisition> wanted;
    private @Nullable Backend backend;
    private @Nullable InstanceConnection connection;
    private int attempts;
    private boolean freshOnly;
    private boolean requestSent;
    private boolean interim;
    private boolean reusable;
    private boolean switching;
    private @Nullable BlobReply named;
    private long responseBytes;
    private long waitingSince = Lane.now();
    private long progress = Lane.now();

    private enum Phase {
        /** Without a connection. */
        WAITING,
        /** The request is on its way, no byte of the response has arrived. */
        SENT,
        RESPONDING,
        ENDED
    }

    Forwarding(
            RouterCore core,
            Lane lane,
            ClientExchange exchange,
            InstanceRequest order,
            HttpRequest request) {
        this.core = core;
        this.lane = lane;
        this.exchange = exchange;
        this.order = order;
        this.request = request;
        this.idempotent = InstanceRequest.isIdempotent(request);
        this.webSocket = InstanceRequest.isWebSocket(request, exchange);
        this.body =
                new SentBody(exchange.isBodyEmpty(), core.limits().instances().replayBytesMax());
    }

    void start() {
        if (order.blob() == null) {
            order.prepare(
                    request, core.platform().headers(), exchange.facts().hostName(), webSocket);
        }
        acquire(Optional.empty());
    }

    private void acquire(Optional<String> avoided) {
        phase = Phase.WAITING;
        attempts++;
        waitingSince = Lane.now();
        CompletableFuture<Backends.Acquisition> future =
                core.platform().backends().acquire(order.wanted(avoided));
        wanted = future;
        int attempt = attempts;
        if (future.isDone()) {
            acquired(future, attempt);
        } else {
            var _ =
                    future.whenComplete(
                            (_, _) -> lane.loop().execute(() -> acquired(future, attempt)));
        }
    }

    private void acquired(CompletableFuture<Backends.Acquisition> future, int attempt) {
        boolean mine = attempt == attempts && wanted != null && phase == Phase.WAITING;
        if (future.state() != Future.State.SUCCESS) {
            if (mine) {
                end(RouterFailure.INTERNAL, Backends.Use.ABANDONED);
            }
            return;
        }
        switch (future.resultNow()) {
            case Backends.Acquired(var found) -> {
                if (!mine) {
                    core.platform().backends().release(found, Backends.Use.ABANDONED);
                    return;
                }
                wanted = null;
                backend = found;
                exchange.facts().instance(found.id());
                connect(found);
            }
            case Backends.Unavailable(var reason, var retryAfter) -> {
                if (mine) {
                    end(RouterFailure.unavailable(reason, retryAfter), Backends.Use.ABANDONED);
                }
            }
        }
    }

    private void connect(Backend to) {
        InstanceConnection pooled = freshOnly ? null : lane.pool().take(to.address());
        if (pooled != null) {
            send(pooled);
            return;
        }
        lane.pool().connect(to, opened -> connected(to, opened));
    }

    private void connected(Backend to, @Nullable InstanceConnection opened) {
        if (phase != Phase.WAITING || !to.equals(backend)) {
            if (opened != null) {
                opened.close();
            }
            return;
        }
        if (opened == null) {
            failed(true);
        } else {
            send(opened);
            instanceWritable();
        }
    }

    private void send(InstanceConnection to) {
        long now = Lane.now();
        exchange.facts().pending(now - waitingSince);
        phase = Phase.SENT;
        connection = to;
        progress = now;
        requestSent = false;
        hop.begin(request, backend, order, !exchange.isBodyEmpty());
        to.begin(this, request).addListener(written -> sent(written.isSuccess()));
        if (!hop.holdsBody()) {
            sendBody(to);
        }
        to.flush();
        exchange.adjustReading();
    }

    private void sendBody(InstanceConnection to) {
        hop.releaseBody();
        exchange.sendContinue();
        body.sendKept(this::write);
        to.flush();
        exchange.adjustReading();
    }

    private void write(HttpContent content) {
        InstanceConnection to = connection;
        if (to == null) {
            content.release();
            return;
        }
        requestSent |= content instanceof LastHttpContent;
        to.write(content);
    }

    /** From now on, the instance may act on the request: only idempotent ones may be repeated. */
    private void sent(boolean success) {
        if (success && !idempotent && !hop.mayBeRefused()) {
            body.forget();
        }
    }

    @Override
    public boolean wantsBody() {
        return phase != Phase.ENDED
                && connection != null
                && !hop.holdsBody()
                && connection.isWritable();
    }

    @Override
    public void clientSent(HttpContent content) {
        progress = Lane.now();
        if (phase == Phase.ENDED) {
            content.release();
        } else if (connection == null || hop.holdsBody()) {
            body.keep(content);
        } else {
            body.send(content, this::write, phase == Phase.SENT);
            exchange.adjustReading();
        }
    }

    @Override
    public void clientPaused() {
        if (connection != null) {
            connection.flush();
        }
    }

    @Override
    public void clientWritable() {
        progress = Lane.now();
        if (connection != null) {
            connection.read(true);
        }
    }

    /** The instance's connection accepts bytes again. */
    void instanceWritable() {
        progress = Lane.now();
        exchange.adjustReading();
    }

    /** No more bytes of the instance are available at the moment. */
    void instancePaused() {
        exchange.flush();
    }

    void instanceSent(HttpResponse response) {
        progress = Lane.now();
        if (phase != Phase.SENT || !FramingRules.isSound(response, core.limits().responses())) {
            end(RouterFailure.BROKEN, Backends.Use.BROKEN);
            return;
        }
        int status = response.status().code();
        if (status == 101) {
            switching = webSocket;
            if (!switching) {
                end(RouterFailure.BROKEN, Backends.Use.BROKEN);
                return;
            }
        } else if (status < 200) {
            interim = true;
            if (hop.holdsBody() && status == 100 && connection != null) {
                sendBody(connection);
            }
            return;
        }
        RouterFailure failure = PeerHop.answered(response, order, backend, exchange.facts());
        if (failure != null) {
            refused(failure);
            return;
        }
        body.forget();
        phase = Phase.RESPONDING;
        reusable = HttpUtil.isKeepAlive(response);
        HeaderRules.toClient(response);
        if (switching) {
            response.headers().set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
        }
        named = order.mayNameBlob() ? BlobReply.named(response) : null;
        if (named == null) {
            order.respond(exchange, response, switching);
        }
    }

    void instanceSent(HttpContent content) {
        progress = Lane.now();
        if (phase == Phase.ENDED) {
            content.release();
            return;
        }
        if (content.decoderResult().isFailure()) {
            content.release();
            end(RouterFailure.BROKEN, Backends.Use.BROKEN);
            return;
        }
        if (interim) {
            interim = !(content instanceof LastHttpContent);
            content.release();
            return;
        }
        responseBytes += content.content().readableBytes();
        if (responseBytes > core.limits().responses().bodyBytesMax()) {
            content.release();
            end(RouterFailure.BROKEN, Backends.Use.BROKEN);
        } else if (content instanceof LastHttpContent last) {
            if (switching) {
                last.release();
                tunnel();
            } else {
                complete(last);
            }
        } else if (named != null) {
            content.release(); // the blob replaces it
        } else {
            exchange.respond(content.content());
            if (!exchange.isClientWritable() && connection != null) {
                exchange.flush();
                connection.read(exchange.isClientWritable());
            }
        }
    }

    private void complete(LastHttpContent last) {
        InstanceConnection used = connection;
        detach(Backends.Use.ANSWERED);
        if (used != null) {
            if (reusable && requestSent) {
                used.end();
            } else {
                used.close();
            }
        }
        if (named == null) {
            exchange.respondLast(last.content(), last.trailingHeaders());
        } else {
            last.release();
            read(named);
        }
    }

    /** Answers with a blob, from the platform's own server. */
    private void read(BlobReply blob) {
        if (!exchange.isRequestComplete()) {
            exchange.fail(RouterFailure.BROKEN);
            return;
        }
        Forwarding next =
                new Forwarding(core, lane, exchange, order.reading(blob), blob.request(request));
        exchange.handle(next);
        next.start();
    }

    private void tunnel() {
        InstanceConnection used = connection;
        Backend held = backend;
        if (used == null || held == null) {
            return;
        }
        exchange.flush();
        connection = null;
        backend = null;
        phase = Phase.ENDED;
        Tunnel.open(
                lane,
                exchange,
                used,
                order.timeouts(),
                () -> core.platform().backends().release(held, Backends.Use.ANSWERED));
    }

    private void closeConnection() {
        InstanceConnection used = connection;
        connection = null;
        if (used != null) {
            used.close();
        }
    }

    /** Another server has answered itself: if it has no instance, nothing was executed. */
    private void refused(RouterFailure failure) {
        closeConnection();
        boolean again = failure.status().equals(HttpResponseStatus.SERVICE_UNAVAILABLE);
        if (again && backend != null && body.isComplete() && attempts < attemptsMax()) {
            again(backend, Backends.Use.ABANDONED);
        } else {
            end(failure, Backends.Use.ANSWERED);
        }
    }

    /** The instance has closed the connection. */
    void instanceClosed() {
        if (phase == Phase.SENT) {
            InstanceConnection lost = connection;
            connection = null;
            failed(lost != null && !lost.isUsed());
        } else {
            end(RouterFailure.BROKEN, Backends.Use.BROKEN);
        }
    }

    /**
     * @param instance whether the instance is at fault, and not a connection that was idle before
     */
    private void failed(boolean instance) {
        Backend lost = backend;
        if (hop.mayHaveExecuted()
                || !body.isComplete()
                || lost == null
                || (instance && attempts >= attemptsMax())) {
            end(RouterFailure.UNREACHABLE, Backends.Use.UNREACHABLE);
            return;
        }
        if (instance) {
            again(lost, Backends.Use.UNREACHABLE);
        } else {
            core.metrics().retried();
            phase = Phase.WAITING;
            freshOnly = true;
            connect(lost);
        }
    }

    private int attemptsMax() {
        return hop.isUnderWay() ? PeerHop.ATTEMPTS_MAX : ATTEMPTS_MAX;
    }

    private void again(Backend lost, Backends.Use use) {
        core.metrics().retried();
        backend = null;
        hop.end();
        acquire(Optional.of(lost.id()));
        // only now: a version that is being replaced may stop when no request uses it
        core.platform().backends().release(lost, use);
    }

    private void end(RouterFailure failure, Backends.Use use) {
        if (phase == Phase.ENDED) {
            return;
        }
        stop(use);
        exchange.fail(failure);
    }

    private void stop(Backends.Use use) {
        phase = Phase.ENDED;
        body.forget();
        CompletableFuture<Backends.Acquisition> waiting = wanted;
        wanted = null;
        if (waiting != null) {
            waiting.cancel(false);
        }
        closeConnection();
        detach(use);
    }

    private void detach(Backends.Use use) {
        connection = null;
        Backend held = backend;
        backend = null;
        if (use == Backends.Use.ANSWERED) {
            phase = Phase.ENDED;
        }
        if (held != null) {
            core.platform().backends().release(held, use);
        }
    }

    @Override
    public void clientGone() {
        if (phase != Phase.ENDED) {
            stop(Backends.Use.ABANDONED);
        }
    }

    @Override
    public void check(long nowNanos) {
        boolean late =
                exchange.facts().latencyNanos(nowNanos) > order.timeouts().request().toNanos();
        boolean idle = nowNanos - progress > order.timeouts().idle().toNanos();
        if (phase == Phase.WAITING
                && wanted != null
                && nowNanos - waitingSince > order.timeouts().pending().toNanos()) {
            exchange.facts().pending(nowNanos - waitingSince);
            end(RouterFailure.NO_INSTANCE, Backends.Use.ABANDONED);
        } else if (phase == Phase.SENT && isLost()) {
            closeConnection();
            failed(true);
        } else if (late || (idle && phase != Phase.WAITING)) {
            end(RouterFailure.TIMEOUT, Backends.Use.TIMED_OUT);
        }
    }

    private boolean isLost() {
        return backend != null && hop.isUnderWay() && core.platform().backends().isLost(backend);
    }
}
