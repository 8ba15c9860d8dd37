package petrichor.apps.router.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.AsciiString;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Refuses messages whose end or meaning another server could see differently (RFC 9112, sections
 * 6.1 and 11.2). Netty has validated the names and values of fields before. Stateless.
 */
public final class FramingRules {
    private static final int LENGTH_DIGITS_MAX = 18;
    private static final int METHOD_CHARACTERS_MAX = 32;
    private static final String HOST_CHARACTERS = "-._~:[]";

    private FramingRules() {}

    /**
     * Why a request is refused.
     *
     * @param reason for the client
     */
    public record Refusal(HttpResponseStatus status, String reason) {}

    /** Null if the request is accepted. */
    public static @Nullable Refusal problem(HttpRequest request, MessageLimits limits) {
        if (request.decoderResult().isFailure()) {
            return undecodable(request.decoderResult().cause());
        }
        HttpVersion version = request.protocolVersion();
        boolean current = version.equals(HttpVersion.HTTP_1_1);
        if (!current && !version.equals(HttpVersion.HTTP_1_0)) {
            return new Refusal(
                    HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED, "use HTTP/1.1 or HTTP/2");
        }
        HttpHeaders headers = request.headers();
        if (headers.size() > limits.fieldsMax()) {
            return new Refusal(
                    HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                    "the request has too many header fields");
        }
        String method = request.method().name();
        if (method.length() > METHOD_CHARACTERS_MAX || !isToken(method)) {
            return bad("the method of the request is invalid");
        }
        if (method.equals("CONNECT") || method.equals("TRACE")) {
            return new Refusal(
                    HttpResponseStatus.METHOD_NOT_ALLOWED, "the method is not supported");
        }
        return framing(headers, current);
    }

    private static @Nullable Refusal framing(HttpHeaders headers, boolean current) {
        List<String> lengths = values(headers, HttpHeaderNames.CONTENT_LENGTH);
        List<String> encodings = values(headers, HttpHeaderNames.TRANSFER_ENCODING);
        if (!encodings.isEmpty() && !(current && isChunked(encodings))) {
            return bad("the only Transfer-Encoding is chunked, once, in HTTP/1.1");
        }
        if (!encodings.isEmpty() && !lengths.isEmpty()) {
            return bad("the request has both a Transfer-Encoding and a Content-Length");
        }
        if (lengths.size() > 1 || (lengths.size() == 1 && !isLength(lengths.getFirst()))) {
            return bad("the request needs one Content-Length, of digits only");
        }
        return null;
    }

    /**
     * Whether the request announces a body over the limit.
     *
     * @param request without a {@link #problem}
     */
    public static boolean isTooLarge(HttpRequest request, MessageLimits limits) {
        String length = request.headers().get(HttpHeaderNames.CONTENT_LENGTH);
        return length != null && Long.parseLong(length) > limits.bodyBytesMax();
    }

    /** A body over the limit. */
    public static Refusal tooLarge() {
        return new Refusal(
                HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
                "the body of the request is larger than the limit");
    }

    /** For the text of a decoder's failure. */
    public static Refusal undecodable(Throwable cause) {
        return switch (cause) {
            case TooLongHttpLineException _ ->
                    new Refusal(
                            HttpResponseStatus.REQUEST_URI_TOO_LONG,
                            "the URI is longer than the limit");
            case TooLongHttpHeaderException _ ->
                    new Refusal(
                            HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                            "the header fields are larger than the limit");
            default -> bad("the request is malformed");
        };
    }

    private static Refusal bad(String reason) {
        return new Refusal(HttpResponseStatus.BAD_REQUEST, reason);
    }

    /** Whether the response's framing is unambiguous; otherwise it is a bad gateway. */
    public static boolean isSound(HttpResponse response, MessageLimits limits) {
        HttpHeaders headers = response.headers();
        if (response.decoderResult().isFailure() || headers.size() > limits.fieldsMax()) {
            return false;
        }
        List<String> lengths = values(headers, HttpHeaderNames.CONTENT_LENGTH);
        List<String> encodings = values(headers, HttpHeaderNames.TRANSFER_ENCODING);
        return (encodings.isEmpty() || (lengths.isEmpty() && isChunked(encodings)))
                && (lengths.isEmpty() || (lengths.size() == 1 && isLength(lengths.getFirst())));
    }

    /**
     * The host of a request in lower case and without its port; null if it is missing, given twice
     * or invalid.
     *
     * @param authority of the target, which must be the same; empty if it has none
     */
    public static @Nullable String host(HttpRequest request, String authority) {
        List<String> hosts = values(request.headers(), HttpHeaderNames.HOST);
        if (hosts.isEmpty()) {
            boolean old = request.protocolVersion().equals(HttpVersion.HTTP_1_0);
            return old ? "" : null;
        }
        String given = hosts.getFirst();
        if (hosts.size() > 1 || (!authority.isEmpty() && !authority.equalsIgnoreCase(given))) {
            return null;
        }
        for (int i = 0; i < given.length(); i++) {
            char c = given.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (!letter && !(c >= '0' && c <= '9') && HOST_CHARACTERS.indexOf(c) < 0) {
                return null;
            }
        }
        return withoutPort(given).toLowerCase(Locale.ROOT);
    }

    /** All values of a field, which usually has none or one. */
    private static List<String> values(HttpHeaders headers, AsciiString name) {
        Iterator<String> values = headers.valueStringIterator(name);
        if (!values.hasNext()) {
            return List.of();
        }
        String first = values.next();
        return values.hasNext() ? headers.getAll(name) : List.of(first);
    }

    private static String withoutPort(String host) {
        int bracket = host.lastIndexOf(']');
        int colon = host.indexOf(':', Math.max(bracket, 0));
        String name = colon < 0 ? host : host.substring(0, colon);
        return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    }

    private static boolean isChunked(List<String> encodings) {
        return encodings.size() == 1
                && HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(encodings.getFirst());
    }

    private static boolean isLength(String value) {
        if (value.isEmpty() || value.length() > LENGTH_DIGITS_MAX) {
            return false;
        }
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) < '0' || value.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    static boolean isToken(CharSequence name) {
        if (name.isEmpty()) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
            if (!letter && !(c >= '0' && c <= '9') && "!#$%&'*+.^_`|~".indexOf(c) < 0) {
                return false;
            }
        }
        return true;
    }
}
