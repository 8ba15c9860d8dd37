package petrichor.frontends.datastore;

import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;

/**
 * Refuses requests that a proxy in front of the server might interpret differently (request
 * smuggling, RFC 9112, section 11.2), and encodings that the server would take for plain text.
 * Stateless.
 */
final class HttpStrictness {
    private static final Set<String> ENCODINGS =
            Set.of("identity", "gzip", "x-gzip", "deflate", "x-deflate");

    private HttpStrictness() {}

    /** The request decoder; a Content-Length together with chunks makes a request malformed. */
    static final class Decoder extends HttpRequestDecoder {
        Decoder(HttpDecoderConfig config) {
            super(config);
        }

        @Override
        protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
            throw new IllegalArgumentException(
                    "both Transfer-Encoding and Content-Length are given; send one of them");
        }
    }

    /** The reason to refuse the request; null if there is none. */
    static @Nullable Failure problem(HttpRequest head) {
        HttpVersion version = head.protocolVersion();
        HttpHeaders headers = head.headers();
        boolean current = version.equals(HttpVersion.HTTP_1_1);
        if (!current && !version.equals(HttpVersion.HTTP_1_0)) {
            return new Failure(
                    ErrorCode.INVALID_ARGUMENT,
                    version.text() + " is not supported; use HTTP/1.1",
                    HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED.code());
        }
        int hosts = headers.getAll(HttpHeaderNames.HOST).size();
        if (hosts > 1 || (current && hosts == 0)) {
            return new Failure(
                    ErrorCode.INVALID_ARGUMENT,
                    "an HTTP/1.1 request needs exactly one Host header");
        }
        List<String> transfer = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (!transfer.isEmpty() && !(current && isChunked(transfer))) {
            return new Failure(
                    ErrorCode.INVALID_ARGUMENT,
                    "the only Transfer-Encoding is chunked, once, in HTTP/1.1");
        }
        for (String encoding : headers.getAll(HttpHeaderNames.CONTENT_ENCODING)) {
            if (!ENCODINGS.contains(encoding.strip().toLowerCase(Locale.ROOT))) {
                return new Failure(
                        ErrorCode.INVALID_ARGUMENT,
                        "Content-Encoding " + encoding + " is not supported; use gzip or none",
                        HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE.code());
            }
        }
        return null;
    }

    private static boolean isChunked(List<String> transfer) {
        return transfer.size() == 1
                && HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(transfer.getFirst().strip());
    }
}
