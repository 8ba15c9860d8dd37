package petrichor.apps.router;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.http.TrustedProxies;
import petrichor.apps.router.log.RequestRecord;
import petrichor.apps.router.table.VersionName;

/** What is known of an exchange, for the platform's functions and the log. Confined. */
final class ExchangeFacts {
    private static final int TRACE_DIGITS = 32;
    private static final int SPAN_DIGITS = 16;
    private static final int LOGGED_CHARACTERS_MAX = 2048;

    private final RouterCore core;
    private final HttpRequest request;
    private final InetAddress address;
    private final boolean secure;
    private final String protocol;
    private final RequestView.Ids ids;
    private final String userAgent;
    private final String accept;
    private final Instant time;
    private final long startNanos = Lane.now();
    private String host = "";
    private @Nullable VersionName version;
    private @Nullable String cookie;
    private @Nullable RequestView view;
    private String instance = "";
    private String failure = "";
    private boolean framed;
    private boolean logged = true;
    private int status;
    private long requestBytes;
    private long responseBytes;
    private long pendingNanos;

    ExchangeFacts(ClientConnection connection, HttpRequest request) {
        this.core = connection.core();
        this.request = request;
        TrustedProxies.Origin origin =
                core.settings()
                        .proxies()
                        .origin(
                                connection.remoteAddress().getAddress(),
                                connection.link().secure(),
                                request.headers());
        this.address = origin.address();
        this.secure = origin.secure();
        this.protocol =
                switch (connection.link()) {
                    case ClientConnection.Http1 _ -> request.protocolVersion().text();
                    case ClientConnection.Http2Stream _ -> "HTTP/2";
                };
        this.time = core.now();
        HttpHeaders headers = request.headers();
        this.userAgent = headers.get(HttpHeaderNames.USER_AGENT, "");
        this.accept = headers.get(HttpHeaderNames.ACCEPT, "");
        String trace = trace(headers);
        var random = connection.lane().random();
        this.ids =
                new RequestView.Ids(
                        Lane.hex(random, TRACE_DIGITS),
                        trace == null ? Lane.hex(random, TRACE_DIGITS) : trace,
                        Lane.hex(random, SPAN_DIGITS));
    }

    /** The client's trace id, by W3C's field or Google's; null if it has none. */
    private static @Nullable String trace(HttpHeaders headers) {
        String parent = headers.get("traceparent");
        if (parent != null && parent.length() > TRACE_DIGITS + 3 && parent.startsWith("00-")) {
            return valid(parent.substring(3, 3 + TRACE_DIGITS));
        }
        String google = headers.get("X-Cloud-Trace-Context");
        return google != null && google.length() >= TRACE_DIGITS
                ? valid(google.substring(0, TRACE_DIGITS))
                : null;
    }

    private static @Nullable String valid(String trace) {
        boolean hexadecimal =
                trace.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
        return hexadecimal ? trace : null;
    }

    RequestView.Ids ids() {
        return ids;
    }

    InetAddress address() {
        return address;
    }

    RequestView.Client client() {
        return new RequestView.Client(address.getHostAddress(), secure);
    }

    /** The request's framing is sound, so that the next request on the connection is found. */
    void framed() {
        framed = true;
    }

    boolean isFramed() {
        return framed;
    }

    /** The server that has forwarded the request logs it. */
    void loggedElsewhere() {
        logged = false;
    }

    /** For requests of HTTP/1.0, which may have none. */
    String hostName() {
        return host.isEmpty() ? "localhost" : host;
    }

    void host(String name) {
        host = name;
    }

    void version(VersionName name) {
        version = name;
    }

    void view(RequestView seen) {
        view = seen;
    }

    void cookie(String setCookie) {
        cookie = setCookie;
    }

    @Nullable String cookie() {
        return cookie;
    }

    void instance(String id) {
        instance = id;
    }

    void pending(long nanos) {
        pendingNanos += nanos;
    }

    void received(long bytes) {
        requestBytes += bytes;
    }

    long requestBytes() {
        return requestBytes;
    }

    void sent(long bytes) {
        responseBytes += bytes;
    }

    void responded(int code) {
        status = code;
    }

    void failed(String reason) {
        failure = reason;
    }

    long latencyNanos(long nowNanos) {
        return nowNanos - startNanos;
    }

    String accept() {
        return accept;
    }

    void ended(String why) {
        if (failure.isEmpty()) {
            failure = why;
        }
        core.metrics().ended(status);
        if (view != null) {
            core.platform().headers().ended(view);
        }
        if (logged && core.platform().log().isOpen()) {
            core.platform().log().add(record());
        }
    }

    private RequestRecord record() {
        return new RequestRecord(
                time,
                new RequestRecord.Ids(ids.request(), ids.trace()),
                new RequestRecord.Server(Optional.ofNullable(version), instance),
                new RequestRecord.Request(
                        request.method().name(),
                        host,
                        bounded(request.uri()),
                        new RequestRecord.Client(
                                address.getHostAddress(), bounded(userAgent), protocol),
                        requestBytes),
                new RequestRecord.Response(
                        status,
                        responseBytes,
                        Duration.ofNanos(latencyNanos(Lane.now())),
                        Duration.ofNanos(pendingNanos)),
                failure);
    }

    private static String bounded(String text) {
        return text.length() <= LOGGED_CHARACTERS_MAX
                ? text
                : text.substring(0, LOGGED_CHARACTERS_MAX);
    }
}
