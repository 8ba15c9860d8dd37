package petrichor.apps.router;

import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;

/**
 * Encodes responses to a client. A connection carries one exchange at a time, so whether it is a
 * HEAD request is a field. Confined to its event loop.
 */
final class ClientResponseEncoder extends HttpResponseEncoder {
    private boolean toHead;

    void respondTo(boolean head) {
        this.toHead = head;
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpResponse response) {
        return toHead || super.isContentAlwaysEmpty(response);
    }
}
