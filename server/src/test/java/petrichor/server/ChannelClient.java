package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A client of a channel: messages, and how the connection ended, as texts in order of arrival. */
final class ChannelClient implements AutoCloseable {
    private static final long WITHIN_S = 60;

    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private @Nullable WebSocket socket;
    private @Nullable InputStream events;

    private ChannelClient() {}

    /** The end of a WebSocket is received as "closed STATUS". */
    static ChannelClient socket(TestServer server, String token) {
        ChannelClient client = new ChannelClient();
        client.socket =
                client.http
                        .newWebSocketBuilder()
                        .subprotocols("channel", "ended")
                        .buildAsync(
                                URI.create(
                                        "ws://127.0.0.1:"
                                                + server.port()
                                                + "/_ah/channel/connect?token="
                                                + token),
                                client.new Listener())
                        .join();
        return client;
    }

    /** Every line of the response that is not empty is received. */
    static ChannelClient events(TestServer server, String token) {
        ChannelClient client = new ChannelClient();
        HttpResponse<InputStream> response =
                server.send(
                        server.request("/_ah/channel/connect?token=" + token)
                                .header("Accept", "text/event-stream"),
                        HttpResponse.BodyHandlers.ofInputStream());
        assertThat(response.headers().firstValue("content-type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/event-stream"));
        assertThat(response.headers().firstValue("access-control-allow-origin")).contains("*");
        InputStream body = response.body();
        client.events = body;
        Thread.ofVirtual().start(() -> client.read(body));
        return client;
    }

    private void read(InputStream body) {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isEmpty()) {
                    received.add(line);
                }
            }
            received.add("closed");
        } catch (IOException broken) {
            received.add("broken");
        }
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket webSocket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                received.add(text.toString());
                text.setLength(0);
            }
            webSocket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(
                WebSocket webSocket, int status, String reason) {
            received.add("closed " + status);
            return null;
        }

        @Override
        public void onError(WebSocket webSocket, Throwable error) {
            received.add("broken");
        }
    }

    String protocol() {
        return Objects.requireNonNull(socket).getSubprotocol();
    }

    void say(String text) {
        Objects.requireNonNull(socket).sendText(text, true).join();
    }

    String next() {
        try {
            String next = received.poll(WITHIN_S, TimeUnit.SECONDS);
            assertThat(next).as("within %d s", WITHIN_S).isNotNull();
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    boolean hasNothing() {
        return received.isEmpty();
    }

    /** Closes the connection properly. */
    void leave() {
        WebSocket open = socket;
        if (open != null && !open.isOutputClosed()) {
            open.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
        }
    }

    @Override
    public void close() {
        if (socket != null) {
            socket.abort();
        }
        if (events != null) {
            try {
                events.close();
            } catch (IOException alreadyBroken) {
                received.add("broken");
            }
        }
        http.shutdownNow();
    }
}
