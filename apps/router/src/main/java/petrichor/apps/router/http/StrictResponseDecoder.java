package petrichor.apps.router.http;

import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpResponseStatus;

/**
 * Netty's decoder of an instance's responses, which refuses ambiguous framing. A connection carries
 * one exchange at a time, so the method of the current request is a field. Confined to its event
 * loop.
 */
public final class StrictResponseDecoder extends HttpResponseDecoder {
    private boolean toHead;

    /**
     * @param bodyPartBytesMax of one message of a body
     */
    public StrictResponseDecoder(MessageLimits limits, int bodyPartBytesMax) {
        super(
                new HttpDecoderConfig()
                        .setMaxInitialLineLength(limits.lineBytesMax())
                        .setMaxHeaderSize(limits.headerBytesMax())
                        .setMaxChunkSize(bodyPartBytesMax)
                        .setAllowDuplicateContentLengths(false)
                        .setValidateHeaders(true));
    }

    /**
     * @param head whether the next response answers a HEAD request, and thus has no body
     */
    public void expectResponseTo(boolean head) {
        this.toHead = head;
    }

    /** Whether bytes have arrived that were not decoded yet. */
    public boolean hasMore() {
        return actualReadableBytes() > 0;
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
        return (toHead && message instanceof HttpResponse) || super.isContentAlwaysEmpty(message);
    }

    /** The router decides itself what becomes a tunnel. */
    @Override
    protected boolean isSwitchingToNonHttp1Protocol(HttpResponse response) {
        return response.status().code() == HttpResponseStatus.SWITCHING_PROTOCOLS.code();
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        throw new IllegalArgumentException(
                "the response has both a Transfer-Encoding and a Content-Length");
    }
}
