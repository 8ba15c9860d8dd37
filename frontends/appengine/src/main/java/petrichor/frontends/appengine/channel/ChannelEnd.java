package petrichor.frontends.appengine.channel;

import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import petrichor.frontends.http.SocketMessages;
import petrichor.services.channels.ChannelOwner.End;

/**
 * The end of a connection, as the JavaScript client understands it.
 *
 * @param status of the WebSocket: 4000 more than the HTTP status of the reason, or 1001 if the
 *     client should connect again at once
 * @param description for {@code onerror}
 */
record ChannelEnd(int status, String description) {
    private static final int GOING_AWAY = 1001;
    private static final int UNAUTHORIZED = 4401;
    private static final int CONFLICT = 4409;
    private static final int UNAVAILABLE = 4503;
    private static final int REASON_BYTES_MAX = 123;

    /** The texts of App Engine's own client. */
    static final ChannelEnd INVALID = new ChannelEnd(UNAUTHORIZED, "Invalid+token.");

    private static final ChannelEnd EXPIRED = new ChannelEnd(UNAUTHORIZED, "Token+timed+out.");

    /** The client should try again later. */
    static ChannelEnd refused(String text) {
        return new ChannelEnd(UNAVAILABLE, text);
    }

    static ChannelEnd of(End reason) {
        return switch (reason) {
            case EXPIRED -> EXPIRED;
            case REPLACED ->
                    new ChannelEnd(CONFLICT, "this client has connected from another page");
            case FULL -> refused("the app has as many channels as it may; retry later");
            case STOPPING, DISCONNECTED ->
                    new ChannelEnd(GOING_AWAY, "the server ends the connection; connect again");
        };
    }

    SocketMessages.Close close() {
        byte[] reason = description.getBytes(StandardCharsets.UTF_8);
        return new SocketMessages.Close(
                status, reason.length <= REASON_BYTES_MAX ? description : "retry later");
    }

    /** A server-sent event. */
    String event() {
        JsonObject data = new JsonObject();
        data.addProperty("status", status);
        data.addProperty("description", description);
        return "event: end\ndata: " + data + "\n\n";
    }
}
