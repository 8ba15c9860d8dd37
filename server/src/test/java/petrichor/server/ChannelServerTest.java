package petrichor.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.apphosting.base.protos.api.RemoteApiPb;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.coordination.testkit.Wait;
import petrichor.frontends.appengine.wire.CreateChannelRequest;
import petrichor.frontends.appengine.wire.SendMessageRequest;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.services.channels.ChannelLimits;

/** Channels of a real server, with real clients. */
final class ChannelServerTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Pattern STATUS = Pattern.compile("HTTP/1.1 (\\d+) ");

    private final PresenceApp presence = PresenceApp.start();
    private TestServer server = TestServer.start(_ -> presence.config("demo"));
    private final ChannelApp app = new ChannelApp(server, "demo");

    @AfterEach
    void close() {
        server.close();
        presence.close();
    }

    @Test
    void aWebSocketReceivesTheMessagesOfItsClient() throws Exception {
        app.send("ann", "before the channel was created");
        String token = app.create("ann");
        app.send("ann", "before the connection");
        try (ChannelClient ann = ChannelClient.socket(server, token);
                ChannelClient bob = ChannelClient.socket(server, app.create("b ö&b"))) {
            assertThat(ann.protocol()).isEqualTo("channel");
            assertThat(ann.next()).isEqualTo("before the channel was created");
            assertThat(ann.next()).isEqualTo("before the connection");
            String large = "ä".repeat(ChannelLimits.MESSAGE_BYTES_MAX / 2);
            app.send("ann", large);
            app.send("b ö&b", "");
            assertThat(ann.next()).isEqualTo(large);
            assertThat(bob.next()).isEmpty();
            assertThat(new String[] {presence.next(), presence.next()})
                    .containsExactlyInAnyOrder(
                            "POST /_ah/channel/connected/ application/x-www-form-urlencoded"
                                    + " from=ann",
                            "POST /_ah/channel/connected/ application/x-www-form-urlencoded"
                                    + " from=b+%C3%B6%26b");
            ann.leave();
            assertThat(ann.next()).isEqualTo("closed 1000");
            assertThat(presence.next())
                    .isEqualTo(
                            "POST /_ah/channel/disconnected/ application/x-www-form-urlencoded"
                                    + " from=ann");
            assertThat(bob.hasNothing()).isTrue();
        }
        server.awaitMetrics(
                "petrichor_channels 2.0",
                "petrichor_channel_connections 0.0",
                "petrichor_channel_messages_queued 0.0",
                "petrichor_channel_messages_accepted_total 4.0",
                "petrichor_channel_messages_delivered_total 4.0",
                "petrichor_channel_messages_discarded_total 0.0");
    }

    @Test
    void eventsCarryAnyText() {
        try (ChannelClient ann = ChannelClient.events(server, app.create("ann"))) {
            assertThat(ann.next()).isEqualTo("event: accepted");
            assertThat(ann.next()).isEqualTo("data: 1");
            app.send("ann", "one\ntwo\r\nthree \"quoted\" <ü>\u2028 end");
            assertThat(ann.next())
                    .isEqualTo("data: \"one\\ntwo\\r\\nthree \\\"quoted\\\" <ü>\\u2028 end\"");
            // A WebSocket of the same client replaces it.
            try (ChannelClient socket = ChannelClient.socket(server, app.create("ann"))) {
                assertThat(ann.next()).isEqualTo("event: end");
                assertThat(ann.next()).startsWith("data: {\"status\":4409");
                assertThat(ann.next()).isEqualTo("closed");
                app.send("ann", "again");
                assertThat(socket.next()).isEqualTo("again");
            }
        }
    }

    @Test
    void aTokenOfAnotherAppOrNoneIsRefused() {
        String token = app.create("ann");
        String otherApp = new ChannelApp(server, "other").create("ann");
        String mixed =
                token.substring(0, token.indexOf('.')) + otherApp.substring(otherApp.indexOf('.'));
        for (String wrong : new String[] {mixed, "", "nonsense"}) {
            try (ChannelClient socket = ChannelClient.socket(server, wrong);
                    ChannelClient events = ChannelClient.events(server, wrong)) {
                assertThat(socket.protocol()).isEqualTo("ended");
                assertThat(socket.next()).isEqualTo("closed 4401");
                assertThat(events.next()).isEqualTo("event: end");
                assertThat(events.next())
                        .isEqualTo("data: {\"status\":4401,\"description\":\"Invalid+token.\"}");
            }
        }
    }

    @Test
    void anAppReachesOnlyItsOwnClients() {
        try (ChannelClient ann = ChannelClient.socket(server, app.create("ann"))) {
            new ChannelApp(server, "other").send("ann", "from another app");
            app.send("ann", "from the app");
            assertThat(ann.next()).isEqualTo("from the app");
        }
    }

    @Test
    void sdksInProductionSayXmpp() {
        ChannelApp production = new ChannelApp(server, "demo", "xmpp");
        try (ChannelClient ann = ChannelClient.socket(server, production.create("ann"))) {
            production.send("ann", "hello");
            assertThat(ann.next()).isEqualTo("hello");
        }
    }

    @Test
    void problemsHaveTheCodesOfTheApi() {
        assertThat(error("CreateChannel", CreateChannelRequest.newBuilder().setApplicationKey("")))
                .isEqualTo(2);
        assertThat(
                        error(
                                "CreateChannel",
                                CreateChannelRequest.newBuilder()
                                        .setApplicationKey("ann")
                                        .setDurationMinutes(1_441)))
                .isEqualTo(4);
        assertThat(
                        error(
                                "SendChannelMessage",
                                SendMessageRequest.newBuilder()
                                        .setApplicationKey("ann")
                                        .setMessage(
                                                ByteString.copyFrom(
                                                        new byte
                                                                [ChannelLimits.MESSAGE_BYTES_MAX
                                                                        + 1]))))
                .isEqualTo(3);
        assertThat(
                        error(
                                "SendChannelMessage",
                                SendMessageRequest.newBuilder()
                                        .setApplicationKey("ann")
                                        .setMessage(ByteString.copyFrom(new byte[] {-1}))))
                .isEqualTo(3);
    }

    private int error(String method, com.google.protobuf.MessageLite.Builder request) {
        RemoteApiPb.Response response = app.response(method, request.build());
        assertThat(response.hasApplicationError()).as(response.toString()).isTrue();
        return response.getApplicationError().getCode();
    }

    @Test
    void clientsSendNothing() {
        try (ChannelClient ann = ChannelClient.socket(server, app.create("ann"))) {
            ann.say("hello");
            assertThat(ann.next()).isEqualTo("closed 1003");
        }
    }

    @Test
    void onlyHandshakesAreUpgraded() throws IOException {
        String path = "/_ah/channel/connect?token=" + app.create("ann");
        String host = "Host: localhost\r\nConnection: close, Upgrade\r\n";
        String upgrade = host + "Upgrade: websocket\r\n";
        String key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        assertThat(status("GET " + path + " HTTP/1.1\r\n" + host)).isEqualTo(400);
        assertThat(status("GET " + path + " HTTP/1.1\r\n" + upgrade)).isEqualTo(400);
        assertThat(
                        status(
                                "GET "
                                        + path
                                        + " HTTP/1.1\r\n"
                                        + upgrade
                                        + key
                                        + "Sec-WebSocket-Version: 12\r\n"))
                .isEqualTo(400);
        assertThat(status("GET /livez HTTP/1.1\r\n" + upgrade + key)).isEqualTo(200);
        server.awaitMetrics("petrichor_channel_connections 0.0");
    }

    private int status(String head) throws IOException {
        Matcher status = STATUS.matcher(server.exchange(head + "\r\n"));
        assertThat(status.find()).isTrue();
        return Integer.parseInt(status.group(1));
    }

    @Test
    void aClientThatReadsNothingHarmsNobody() throws Exception {
        server.close();
        FrontEndSettings.Limits usual = FrontEndSettings.Limits.DEFAULT;
        server =
                TestServer.start(
                        _ ->
                                presence.config("demo")
                                        .withLimits(
                                                new FrontEndSettings.Limits(
                                                        usual.requestBytesMax(),
                                                        usual.bufferedBytesMax(),
                                                        usual.connectionsMax(),
                                                        usual.callsPerConnectionMax(),
                                                        usual.headerBytesMax(),
                                                        usual.firstBytesWithin(),
                                                        Duration.ofSeconds(2),
                                                        usual.idleWithin(),
                                                        usual.executionWithin())));
        ChannelApp sender = new ChannelApp(server, "demo");
        String large = "x".repeat(ChannelLimits.MESSAGE_BYTES_MAX);
        try (Socket stuck = handshake(sender.create("stuck"));
                ChannelClient healthy = ChannelClient.socket(server, sender.create("healthy"))) {
            for (int i = 0; i < 1_000; i++) {
                sender.send("stuck", large);
                sender.send("healthy", "m" + i);
                assertThat(healthy.next()).isEqualTo("m" + i);
            }
            assertThat(gauge("petrichor_memory_bytes{share=\"app channels\"}"))
                    .isLessThan(2.0 * ChannelLimits.QUEUED_BYTES_MAX);
            assertThat(gauge("petrichor_memory_bytes{share=\"app channel connections\"}"))
                    .isLessThan(1 << 20);
            Wait.until(
                    "the server closes the connection",
                    LONG,
                    () -> gauge("petrichor_channel_connections") == 1);
            assertThat(stuck.isConnected()).isTrue();
        }
    }

    /** A WebSocket whose client reads only the response. */
    private Socket handshake(String token) throws IOException {
        Socket socket = server.connect();
        socket.setReceiveBufferSize(4 << 10);
        socket.getOutputStream()
                .write(
                        ("GET /_ah/channel/connect?token="
                                        + token
                                        + " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                                        + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                                .getBytes(ISO_8859_1));
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.read());
        }
        assertThat(head.toString()).contains("101 Switching Protocols");
        return socket;
    }

    private double gauge(String name) {
        Matcher line =
                Pattern.compile("^" + Pattern.quote(name) + " (\\S+)$", Pattern.MULTILINE)
                        .matcher(server.get("/metrics").body());
        assertThat(line.find()).as(name).isTrue();
        return Double.parseDouble(line.group(1));
    }

    @Test
    void channelsNeedNoOtherToken() {
        try (TestServer guarded =
                        TestServer.start(config -> config.withToken("secret of the server"));
                ChannelClient stranger = ChannelClient.socket(guarded, "none")) {
            assertThat(stranger.next()).isEqualTo("closed 4401");
            assertThat(guarded.get("/_ah/channel/jsapi").body()).contains("goog.appengine");
        }
    }

    @Test
    void aStoppingServerSendsItsClientsAway() {
        try (ChannelClient socket = ChannelClient.socket(server, app.create("ann"));
                ChannelClient events = ChannelClient.events(server, app.create("bob"))) {
            assertThat(events.next()).isEqualTo("event: accepted");
            assertThat(events.next()).isEqualTo("data: 1");
            long began = System.nanoTime();
            server.server().close();
            // Nothing waits for the end of the drain timeout, which is 10 s.
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isLessThan(Duration.ofSeconds(8));
            assertThat(socket.next()).isEqualTo("closed 1001");
            assertThat(events.next()).isEqualTo("event: end");
        }
    }
}
