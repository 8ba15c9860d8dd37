package petrichor.frontends.appengine.channel;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import petrichor.frontends.http.Page;
import petrichor.services.channels.ChannelConnection;
import petrichor.services.channels.ChannelConnections;
import petrichor.services.channels.ChannelToken;
import petrichor.services.channels.ChannelTokens;

/**
 * {@code /_ah/channel/jsapi}: the JavaScript client. {@code /_ah/channel/connect?token=TOKEN}: the
 * messages of a channel, over a WebSocket or as server-sent events. A browser cannot see the status
 * of a refused request for either, so a refusal is the end of a connection without messages.
 *
 * <p>The token is the only authority; a page of any origin may use it.
 */
public final class ChannelPages {
    private static final String CONNECT = "/_ah/channel/connect";
    private static final String SCRIPT = "/_ah/channel/jsapi";
    private static final String EVENTS = "text/event-stream";

    private static final Map<String, String> ANY_ORIGIN =
            Map.of("access-control-allow-origin", "*", "x-accel-buffering", "no");

    private final ChannelTokens tokens;
    private final ChannelConnections connections;

    public ChannelPages(ChannelTokens tokens, ChannelConnections connections) {
        this.tokens = tokens;
        this.connections = connections;
    }

    public List<Page> pages() {
        byte[] script = script();
        return List.of(
                new Page(
                        "GET",
                        SCRIPT,
                        Page.Access.OPEN,
                        Page.Lane.AT_ONCE,
                        _ ->
                                Page.Answer.bytes(200, "text/javascript; charset=utf-8", script)
                                        .with(Map.of("cache-control", "max-age=300"))),
                new Page("GET", CONNECT, Page.Access.OPEN, Page.Lane.CALLS, this::connect));
    }

    private static byte[] script() {
        try (InputStream file =
                Objects.requireNonNull(ChannelPages.class.getResourceAsStream("channel.js"))) {
            return file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("the program has no channel.js", e);
        }
    }

    private Page.Answer connect(Page.Request request) {
        boolean socket =
                request.headers().getOrDefault("upgrade", "").equalsIgnoreCase("websocket");
        if (!socket && !request.accept().contains(EVENTS)) {
            return Page.Answer.text(
                    400,
                    "connect with a WebSocket, or ask for server-sent events with the header"
                            + " \"Accept: text/event-stream\"\n");
        }
        Optional<ChannelToken> token =
                tokens.verify(request.parameters().getOrDefault("token", ""));
        if (token.isEmpty()) {
            return ended(socket, ChannelEnd.INVALID);
        }
        return switch (connections.open(token.get())) {
            case ChannelConnections.Opened.Refused(String text) ->
                    ended(socket, ChannelEnd.refused(text));
            case ChannelConnections.Opened.Connected(ChannelConnection connection) -> {
                request.cancellation().onCancel(connection::disconnected);
                yield socket
                        ? Page.Answer.socket(new ChannelSocket(connection))
                        : Page.Answer.events(new ChannelEvents(connection)).with(ANY_ORIGIN);
            }
        };
    }

    private static Page.Answer ended(boolean socket, ChannelEnd end) {
        return socket
                ? Page.Answer.socket(new EndedSocket(end.close()))
                : Page.Answer.encoded(200, EVENTS + "; charset=utf-8", end.event())
                        .with(ANY_ORIGIN);
    }
}
