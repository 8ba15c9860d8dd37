package petrichor.frontends.appengine.channel;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import petrichor.frontends.http.Page;
import petrichor.services.channels.ChannelConnection;
import petrichor.services.channels.ChannelConnection.Event;
import petrichor.services.channels.ChannelOwner.End;

/**
 * The messages of a channel as server-sent events. The data of an event is the message as a JSON
 * string, because events cannot contain all line ends.
 */
final class ChannelEvents implements Page.Rest {
    /** Shorter than the timeouts of common proxies; also detects clients that have gone. */
    private static final Duration IDLE = Duration.ofSeconds(25);

    private static final byte[] ACCEPTED =
            "event: accepted\ndata: 1\n\n".getBytes(StandardCharsets.UTF_8);
    private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.UTF_8);
    private static final Gson JSON = new GsonBuilder().disableHtmlEscaping().create();

    private final ChannelConnection connection;
    private boolean accepted;
    private boolean ended;

    ChannelEvents(ChannelConnection connection) {
        this.connection = connection;
    }

    @Override
    public byte @Nullable [] get() {
        if (ended) {
            return null;
        }
        if (!accepted) {
            accepted = true;
            return ACCEPTED;
        }
        return switch (connection.next(IDLE)) {
            case Event.Message(byte[] text) -> message(text);
            case Event.Idle _ -> COMMENT;
            case Event.Ended(End reason) -> {
                ended = true;
                yield ChannelEnd.of(reason).event().getBytes(StandardCharsets.UTF_8);
            }
        };
    }

    private static byte[] message(byte[] text) {
        String json = JSON.toJson(new String(text, StandardCharsets.UTF_8));
        return ("data: " + json + "\n\n").getBytes(StandardCharsets.UTF_8);
    }

    /** A client that goes without a word may come back. */
    @Override
    public void close() {
        connection.close(false);
    }
}
