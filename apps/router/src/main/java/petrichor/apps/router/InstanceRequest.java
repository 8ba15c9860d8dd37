package petrichor.apps.router;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.http.HeaderRules;
import petrichor.apps.router.table.OpenPath;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.router.table.VersionRoutes;

/**
 * What to forward where.
 *
 * @param blob the app's response that names a blob, which this request reads; usually null
 * @param source who has routed it
 */
record InstanceRequest(
        VersionName version,
        Optional<String> instance,
        VersionRoutes.Timeouts timeouts,
        RequestView view,
        @Nullable BlobReply blob,
        PeerHop.Source source) {
    private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE");

    static boolean isIdempotent(HttpRequest request) {
        return IDEMPOTENT.contains(request.method().name());
    }

    /** Whether the response may name one, which this router sends. */
    boolean mayNameBlob() {
        return blob == null && source != PeerHop.Source.SERVER;
    }

    /** A blob, from the platform's own server. */
    InstanceRequest reading(BlobReply named) {
        return new InstanceRequest(
                OpenPath.platform(version.app()),
                Optional.empty(),
                VersionRoutes.Timeouts.PLATFORM,
                view,
                named,
                source);
    }

    /**
     * @param avoided an instance or server that has just failed
     */
    Backends.Wanted wanted(Optional<String> avoided) {
        return new Backends.Wanted(
                version,
                instance,
                avoided,
                timeouts.pending(),
                source == PeerHop.Source.SERVER ? Backends.Reach.SERVER : Backends.Reach.CLUSTER);
    }

    /** Over HTTP/2, browsers open a connection of HTTP/1.1 for a WebSocket. */
    static boolean isWebSocket(HttpRequest request, ClientExchange exchange) {
        return exchange.connection().link() instanceof ClientConnection.Http1
                && exchange.isBodyEmpty()
                && HeaderRules.isWebSocketHandshake(request);
    }

    /** The platform's own server sends blobs, and ranges of them, and keeps channels open. */
    void respond(ClientExchange exchange, HttpResponse response, boolean switching) {
        if (blob != null) {
            exchange.respond(blob.with(response));
        } else if (switching || OpenPath.isPlatform(version)) {
            exchange.respond(response);
        } else {
            exchange.respondCompressed(response);
        }
    }

    /** Makes the head of the request to an instance from that of the client. */
    void prepare(HttpRequest request, RequestHeaders platform, String hostName, boolean webSocket) {
        HttpHeaders headers = request.headers();
        boolean chunked = HttpUtil.isTransferEncodingChunked(request);
        HeaderRules.toInstance(request, view.sender().platform());
        switch (source) {
            case CLIENT -> platform.set(view, headers);
            case SERVER -> platform.arrived(view, headers);
            case PLATFORM -> {} // it has set its fields itself
        }
        request.setProtocolVersion(HttpVersion.HTTP_1_1);
        if (!headers.contains(HttpHeaderNames.HOST)) {
            headers.set(HttpHeaderNames.HOST, hostName);
        }
        if (webSocket) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
            headers.set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
        }
        if (chunked) {
            headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        }
    }
}
