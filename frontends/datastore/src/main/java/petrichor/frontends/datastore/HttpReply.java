package petrichor.frontends.datastore;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.frontends.http.Page;
import petrichor.rpc.Trace;

/**
 * An HTTP response.
 *
 * @param headers further header fields
 * @param traceparent to send back; null if the client sent none
 * @param rest streamed content after the body; null if there is none
 * @param held memory to release when the client has read the response; null for a short one
 */
record HttpReply(
        int status,
        String mediaType,
        byte[] body,
        Map<String, String> headers,
        @Nullable String traceparent,
        Page.@Nullable Rest rest,
        MemoryBudget.@Nullable Reservation held) {
    private static final String CHALLENGE = "www-authenticate";

    HttpReply(
            int status,
            String mediaType,
            byte[] body,
            @Nullable String traceparent,
            Page.@Nullable Rest rest) {
        this(status, mediaType, body, Map.of(), traceparent, rest, null);
    }

    /** The same reply to a client that sends passwords only when it is asked. */
    HttpReply askingForPassword() {
        return new HttpReply(
                status,
                mediaType,
                body,
                Map.of(CHALLENGE, "Basic realm=\"Petrichor: any name, a token as password\""),
                traceparent,
                rest,
                held);
    }

    /** For requests refused before their format was known. */
    static HttpReply complaint(Failure failure) {
        RestRequest.Format format = RestRequest.Format.JSON;
        return new HttpReply(
                failure.httpStatus(),
                format.mediaType(),
                RestRequest.complain(failure, format),
                null,
                null);
    }

    static HttpReply tooLarge(int bytesMax) {
        return complaint(
                new Failure(
                        ErrorCode.INVALID_ARGUMENT,
                        "the request is larger than "
                                + bytesMax
                                + " bytes; split it, or raise limits.request-bytes-max",
                        HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE.code()));
    }

    /**
     * The head of a streamed response. IllegalArgumentException if a header field has an invalid
     * value.
     *
     * @param bytes length of the body; -1 if it is not known
     */
    HttpResponse head(long bytes) {
        HttpResponse response =
                new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status));
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, mediaType)
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_CACHE)
                // Compression would delay a piece until the next ones arrive; see Compressor.
                .set(HttpHeaderNames.CONTENT_ENCODING, HttpHeaderValues.IDENTITY);
        if (bytes < 0) {
            response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        } else {
            response.headers().set(HttpHeaderNames.CONTENT_LENGTH, bytes);
        }
        headers.forEach(response.headers()::set);
        if (traceparent != null) {
            response.headers().set(Trace.HEADER, traceparent);
        }
        return response;
    }

    /** Releases what a reply that is not sent holds. */
    void release() {
        if (rest != null) {
            rest.close();
        }
        if (held != null) {
            held.close();
        }
    }

    /**
     * IllegalArgumentException if a header field has an invalid value.
     *
     * @param withBody false for HEAD, whose response contains only the length of the body
     */
    FullHttpResponse response(boolean withBody) {
        FullHttpResponse response =
                new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1,
                        HttpResponseStatus.valueOf(status),
                        withBody ? Unpooled.wrappedBuffer(body) : Unpooled.EMPTY_BUFFER);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, mediaType)
                .setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
        headers.forEach(response.headers()::set);
        if (status == HttpResponseStatus.UNAUTHORIZED.code() && !headers.containsKey(CHALLENGE)) {
            response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
        }
        if (traceparent != null) {
            response.headers().set(Trace.HEADER, traceparent);
        }
        return response;
    }
}
