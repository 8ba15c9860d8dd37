package petrichor.frontends.appengine.channel;

import org.jspecify.annotations.Nullable;
import petrichor.frontends.http.SocketMessages;

/** A WebSocket without messages, which is closed as soon as it is open. */
record EndedSocket(Close end) implements SocketMessages {
    @Override
    public String protocol() {
        return "ended";
    }

    @Override
    public byte @Nullable [] get() {
        return null;
    }

    @Override
    public void left() {}

    @Override
    public void close() {}
}
