package petrichor.frontends.appengine.channel;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import petrichor.frontends.http.SocketMessages;
import petrichor.services.channels.ChannelConnection;
import petrichor.services.channels.ChannelConnection.Event;
import petrichor.services.channels.ChannelOwner.End;

/** The messages of a channel over a WebSocket. */
final class ChannelSocket implements SocketMessages {
    /** The WebSocket itself detects clients that have gone. */
    private static final Duration IDLE = Duration.ofMinutes(1);

    private final ChannelConnection connection;
    private volatile End end = End.DISCONNECTED;
    private volatile boolean left;

    ChannelSocket(ChannelConnection connection) {
        this.connection = connection;
    }

    @Override
    public String protocol() {
        return "channel";
    }

    @Override
    public byte @Nullable [] get() {
        while (true) {
            switch (connection.next(IDLE)) {
                case Event.Message(byte[] text) -> {
                    return text;
                }
                case Event.Idle _ -> {}
                case Event.Ended(End reason) -> {
                    end = reason;
                    return null;
                }
            }
        }
    }

    @Override
    public Close end() {
        return ChannelEnd.of(end).close();
    }

    @Override
    public void left() {
        left = true;
        connection.disconnected();
    }

    @Override
    public void close() {
        connection.close(left);
    }
}
