package petrichor.apps.router.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which header fields pass the router. Fields that belong to one connection (RFC 9110, section
 * 7.6.1) never do. Fields that apps trust, because on App Engine only the platform sets them, pass
 * only from the platform's own requests. Stateless.
 */
public final class HeaderRules {
    /** Of one connection, in lower case. */
    private static final Set<String> HOP_BY_HOP =
            Set.of(
                    "connection",
                    "keep-alive",
                    "proxy-connection",
                    "proxy-authenticate",
                    "proxy-authorization",
                    "te",
                    "upgrade",
                    "http2-settings");

    /** With the hash codes that headers need. */
    private static final List<AsciiString> HOP_BY_HOP_FIELDS =
            HOP_BY_HOP.stream().map(AsciiString::cached).toList();

    /** What a Connection field must not remove. */
    private static final Set<String> KEPT =
            Set.of("host", "content-length", "transfer-encoding", "authorization", "cookie");

    private static final List<String> TRUSTED_PREFIXES =
            List.of(
                    "x-appengine-",
                    "x-google-",
                    "x-goog-iap-",
                    "x-goog-authenticated-",
                    "x-forwarded-",
                    "x-cloudtasks-",
                    "x-petrichor-");

    private static final Set<String> TRUSTED =
            Set.of("forwarded", "x-real-ip", "x-client-ip", "x-original-url", "x-rewrite-url");

    /** Made by Netty from HTTP/2. */
    private static final String HTTP2_PREFIX = "x-http2-";

    private HeaderRules() {}

    /**
     * Removes what an instance must not see from the request.
     *
     * @param trusted whether the platform itself sent the request
     */
    public static void toInstance(HttpRequest request, boolean trusted) {
        HttpHeaders headers = request.headers();
        boolean trailers =
                headers.contains(HttpHeaderNames.TE)
                        && headers.containsValue(
                                HttpHeaderNames.TE, HttpHeaderValues.TRAILERS, true);
        removeHopByHop(headers);
        List<String> removed = null;
        Iterator<Map.Entry<CharSequence, CharSequence>> fields = headers.iteratorCharSequence();
        while (fields.hasNext()) {
            CharSequence name = fields.next().getKey();
            if (isSuspect(name) && isForbidden(normalised(name), isUnusual(name), trusted)) {
                removed = removed == null ? new ArrayList<>() : removed;
                removed.add(name.toString());
            }
        }
        if (removed != null) {
            removed.forEach(headers::remove);
        }
        headers.remove(HttpHeaderNames.EXPECT);
        if (trailers) {
            headers.set(HttpHeaderNames.TE, HttpHeaderValues.TRAILERS);
        }
    }

    /** Whether the client wants to open a WebSocket (RFC 6455, section 4.1). */
    public static boolean isWebSocketHandshake(HttpRequest request) {
        HttpHeaders headers = request.headers();
        return request.method().name().equals("GET")
                && headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
                && HttpHeaderValues.WEBSOCKET.contentEqualsIgnoreCase(
                        headers.get(HttpHeaderNames.UPGRADE, ""));
    }

    /** Removes what clients must not see from a response, except its Transfer-Encoding. */
    public static void toClient(HttpResponse response) {
        removeHopByHop(response.headers());
    }

    /** Trailers may not change the framing, the routing or the trust in a message. */
    public static void trailers(HttpHeaders trailers) {
        if (trailers.isEmpty()) {
            return;
        }
        for (String name : new TreeSet<>(trailers.names())) {
            String normalised = normalised(name);
            if (HOP_BY_HOP.contains(normalised)
                    || KEPT.contains(normalised)
                    || normalised.equals("trailer")
                    || isTrusted(normalised)) {
                trailers.remove(name);
            }
        }
    }

    private static void removeHopByHop(HttpHeaders headers) {
        List<String> connection =
                headers.contains(HttpHeaderNames.CONNECTION)
                        ? headers.getAll(HttpHeaderNames.CONNECTION)
                        : List.of();
        for (String value : connection) {
            for (String token : value.split(",", -1)) {
                String name = normalised(token.strip());
                if (!name.isEmpty() && !KEPT.contains(name)) {
                    headers.remove(name);
                }
            }
        }
        for (AsciiString name : HOP_BY_HOP_FIELDS) {
            headers.remove(name);
        }
    }

    /** Quick filter: the first letters of forbidden names, and unusual characters. */
    private static boolean isSuspect(CharSequence name) {
        char first = (char) (name.charAt(0) | 0x20);
        return first == 'x' || first == 'f' || isUnusual(name);
    }

    private static boolean isUnusual(CharSequence name) {
        for (int i = 0; i < name.length(); i++) {
            char c = (char) (name.charAt(i) | 0x20);
            if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-') {
                return true;
            }
        }
        return false;
    }

    /**
     * CGI and WSGI show {@code X_Name} and {@code X-Name} to an app as the same variable, and PHP
     * {@code X.Name} too. A name with such characters therefore may not represent a field that has
     * a meaning.
     */
    private static boolean isForbidden(String normalised, boolean unusual, boolean trusted) {
        if (normalised.startsWith(HTTP2_PREFIX)) {
            return true;
        }
        if (unusual && (HOP_BY_HOP.contains(normalised) || KEPT.contains(normalised))) {
            return true;
        }
        return isTrusted(normalised) && (!trusted || normalised.startsWith("x-petrichor-"));
    }

    private static boolean isTrusted(String normalised) {
        if (TRUSTED.contains(normalised)) {
            return true;
        }
        for (String prefix : TRUSTED_PREFIXES) {
            if (normalised.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    /** In lower case, with a hyphen for each character other than letters and digits. */
    private static String normalised(CharSequence name) {
        StringBuilder normal = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = (char) (name.charAt(i) | 0x20);
            boolean kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
            normal.append(kept ? c : '-');
        }
        return normal.toString();
    }
}
