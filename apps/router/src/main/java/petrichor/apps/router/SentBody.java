package petrichor.apps.router;

import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * The body of a request on its way to an instance: what waits for a connection, and what was sent
 * and may have to be sent once more. Confined to its event loop.
 */
final class SentBody {
    private final int replayBytesMax;
    private final Deque<HttpContent> kept = new ArrayDeque<>(1);
    private int keptBytes;
    private boolean complete = true;

    /**
     * @param empty whether the request has no body
     */
    SentBody(boolean empty, int replayBytesMax) {
        this.replayBytesMax = replayBytesMax;
        if (empty) {
            kept.add(LastHttpContent.EMPTY_LAST_CONTENT);
        }
    }

    /** Whether everything that was sent so far can be sent again. */
    boolean isComplete() {
        return complete;
    }

    /** Keeps a part until there is a connection. */
    void keep(HttpContent content) {
        kept.add(content);
        keptBytes += content.content().readableBytes();
    }

    /** Sends all kept parts, and keeps them if they are not too large. */
    void sendKept(Consumer<HttpContent> to) {
        if (keptBytes <= replayBytesMax) {
            kept.forEach(part -> to.accept(part.retainedDuplicate()));
            return;
        }
        complete = false;
        for (HttpContent part = kept.poll(); part != null; part = kept.poll()) {
            to.accept(part);
        }
        keptBytes = 0;
    }

    /**
     * Sends a part that has just arrived.
     *
     * @param again whether it may have to be sent once more
     */
    void send(HttpContent content, Consumer<HttpContent> to, boolean again) {
        int bytes = content.content().readableBytes();
        if (again && complete && keptBytes + bytes <= replayBytesMax) {
            keep(content);
            to.accept(content.retainedDuplicate());
        } else {
            forget();
            to.accept(content);
        }
    }

    /** Releases the parts; the body cannot be sent again. */
    void forget() {
        complete = false;
        kept.forEach(ReferenceCountUtil::release);
        kept.clear();
        keptBytes = 0;
    }
}
