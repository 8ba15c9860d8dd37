package petrichor.apps.router.compression;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.files.ContentTypes;
import petrichor.apps.router.http.ContentCoding;

/**
 * Which responses of instances are compressed, and their header fields. As on App Engine, the
 * client's Accept-Encoding and the response's Content-Type decide; a response that is already
 * encoded, is a part of another one, or must not be transformed stays as it is. Stateless.
 */
public final class CompressionRules {
    /** Below this, the compressed response would not fit into fewer packets. */
    static final int BODY_BYTES_MIN = 1024;

    private static final String EVENTS = "text/event-stream";
    private static final String WEAK = "W/";

    /** Without a body, or with only a part of it. */
    private static final Set<Integer> UNSUITABLE = Set.of(204, 205, 206, 304);

    /** What names the exact bytes of the body. */
    private static final List<String> DIGESTS =
            List.of("Content-MD5", "Digest", "Content-Digest", "Repr-Digest");

    private CompressionRules() {}

    /** Whether the response may be sent with another coding to a client that accepts one. */
    public static boolean isCompressible(HttpHeaders request, HttpResponse response) {
        HttpHeaders headers = response.headers();
        int status = response.status().code();
        return status >= 200
                && !UNSUITABLE.contains(status)
                && isCompressibleType(headers.get(HttpHeaderNames.CONTENT_TYPE))
                && !headers.contains(HttpHeaderNames.CONTENT_ENCODING)
                && !headers.contains(HttpHeaderNames.CONTENT_RANGE)
                && !isFixed(request)
                && !isFixed(headers)
                && DIGESTS.stream().noneMatch(headers::contains)
                && isLong(headers.get(HttpHeaderNames.CONTENT_LENGTH));
    }

    private static boolean isCompressibleType(@Nullable String contentType) {
        if (contentType == null) {
            return false;
        }
        String type = contentType.strip().toLowerCase(Locale.ROOT);
        return !type.startsWith(EVENTS) && ContentTypes.isCompressible(type);
    }

    private static boolean isFixed(HttpHeaders headers) {
        return headers.containsValue(
                HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_TRANSFORM, true);
    }

    /** A body of unknown length is usually a long one. */
    private static boolean isLong(@Nullable String length) {
        return length == null || Long.parseLong(length) >= BODY_BYTES_MIN;
    }

    /** Caches must not send the response to clients that accept other codings. */
    public static void varies(HttpHeaders headers) {
        if (!headers.containsValue(HttpHeaderNames.VARY, HttpHeaderNames.ACCEPT_ENCODING, true)
                && !headers.containsValue(HttpHeaderNames.VARY, "*", true)) {
            headers.add(HttpHeaderNames.VARY, HttpHeaderNames.ACCEPT_ENCODING);
        }
    }

    /** Describes the compressed body instead of the instance's. */
    public static void describe(HttpHeaders headers, ContentCoding coding) {
        headers.set(HttpHeaderNames.CONTENT_ENCODING, coding.token());
        headers.remove(HttpHeaderNames.CONTENT_LENGTH);
        headers.remove(HttpHeaderNames.ACCEPT_RANGES);
        String tag = headers.get(HttpHeaderNames.ETAG);
        if (tag != null && !tag.startsWith(WEAK)) {
            headers.set(HttpHeaderNames.ETAG, WEAK + tag);
        }
    }

    /**
     * A client that knows the compressed response by its weak tag finds it again: an app answers
     * with the strong one.
     */
    public static void confirm(HttpHeaders request, HttpHeaders notModified) {
        String tag = notModified.get(HttpHeaderNames.ETAG);
        if (tag == null || tag.startsWith(WEAK)) {
            return;
        }
        for (String known : request.getAll(HttpHeaderNames.IF_NONE_MATCH)) {
            if (known.contains(WEAK + tag)) {
                notModified.set(HttpHeaderNames.ETAG, WEAK + tag);
                varies(notModified);
            }
        }
    }
}
