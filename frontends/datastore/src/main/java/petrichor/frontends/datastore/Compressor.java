package petrichor.frontends.datastore;

import io.netty.handler.codec.compression.CompressionOptions;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * Compresses responses for clients that accept it. A response with {@code Content-Encoding:
 * identity} stays as it is; the header itself is only for requests and is not sent (RFC 9110,
 * section 8.4.1).
 */
final class Compressor extends HttpContentCompressor {
    Compressor(int fromBytes, int pipelinedMax, CompressionOptions options) {
        super(fromBytes, pipelinedMax, options);
    }

    @Override
    protected @Nullable Result beginEncode(HttpResponse response, String acceptEncoding)
            throws Exception {
        HttpHeaders headers = response.headers();
        if (headers.contains(HttpHeaderNames.CONTENT_ENCODING, HttpHeaderValues.IDENTITY, true)) {
            headers.remove(HttpHeaderNames.CONTENT_ENCODING);
            return null;
        }
        return super.beginEncode(response, acceptEncoding);
    }
}
