package petrichor.apps.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.apps.router.table.VersionRoutes;

/** The JDK's WebSocket client through the router to a server that returns each frame. */
final class WebSocketTest {
    private static final String MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private final TestRouter router = TestRouter.open();
    private final TestInstance instance = router.instance("echo", WebSocketTest::echo);

    @AfterEach
    void close() {
        router.close();
    }

    static boolean echo(TestInstance.Request request, InputStream in, OutputStream out)
            throws IOException {
        if (!request.header("upgrade").equals("websocket")) {
            TestInstance.text(out, "plain");
            return true;
        }
        TestInstance.raw(
                out,
                TestInstance.head(
                        "HTTP/1.1 101 Switching Protocols",
                        "Upgrade: websocket",
                        "Connection: Upgrade",
                        "Sec-WebSocket-Accept: " + accept(request.header("sec-websocket-key"))));
        while (true) {
            int first = in.read();
            if (first < 0) {
                return false;
            }
            byte[] payload = payload(in);
            out.write(first);
            writeLength(out, payload.length);
            out.write(payload);
            out.flush();
            if ((first & 0x0f) == 8) {
                return false;
            }
        }
    }

    private static byte[] payload(InputStream in) throws IOException {
        long length = in.read() & 0x7f;
        if (length == 126) {
            length = ((long) in.read() << 8) | in.read();
        } else if (length == 127) {
            length = 0;
            for (int i = 0; i < 8; i++) {
                length = length << 8 | in.read();
            }
        }
        byte[] mask = in.readNBytes(4);
        byte[] payload = in.readNBytes((int) length);
        for (int i = 0; i < payload.length; i++) {
            payload[i] ^= mask[i & 3];
        }
        return payload;
    }

    private static void writeLength(OutputStream out, int length) throws IOException {
        if (length < 126) {
            out.write(length);
        } else if (length < 1 << 16) {
            out.write(126);
            out.write(length >> 8);
            out.write(length);
        } else {
            out.write(127);
            out.write(new byte[4]);
            for (int shift = 24; shift >= 0; shift -= 8) {
                out.write(length >> shift);
            }
        }
    }

    private static String accept(String key) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            byte[] text = (key + MAGIC).getBytes(StandardCharsets.US_ASCII);
            return Base64.getEncoder().encodeToString(sha1.digest(text));
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static final class Received implements WebSocket.Listener {
        private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        private final StringBuilder partial = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            partial.append(data);
            if (last) {
                messages.add(partial.toString());
                partial.setLength(0);
            }
            return WebSocket.Listener.super.onText(socket, data, last);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            messages.add("closed " + status);
            return WebSocket.Listener.super.onClose(socket, status, reason);
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            messages.add("failed");
        }

        String next() throws InterruptedException {
            return String.valueOf(messages.poll(30, TimeUnit.SECONDS));
        }
    }

    private WebSocket connect(HttpClient client, Received received) {
        URI uri = URI.create("ws://localhost:" + router.address().getPort() + "/chat?room=1");
        return client.newWebSocketBuilder().buildAsync(uri, received).join();
    }

    @Test
    void messagesPassInBothDirections() throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            Received received = new Received();
            WebSocket socket = connect(client, received);
            assertThat(instance.last().path()).isEqualTo("/chat?room=1");
            for (int i = 0; i < 100; i++) {
                socket.sendText("message " + i, true).join();
                assertThat(received.next()).isEqualTo("message " + i);
            }
            String large = "x".repeat(1 << 20);
            socket.sendText(large, true).join();
            assertThat(received.next()).isEqualTo(large);
            assertThat(router.router().running()).isEqualTo(1);
            socket.sendClose(1000, "done").join();
            assertThat(received.next()).isEqualTo("closed 1000");
            TestRouter.waitFor(() -> router.router().running() == 0);
            TestRouter.waitFor(() -> router.backends().running() == 0);
            assertThat(router.backends().uses()).containsExactly(Backends.Use.ANSWERED);
        }
    }

    @Test
    void eitherSideClosesTheOther() throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            Received received = new Received();
            WebSocket first = connect(client, received);
            instance.close();
            assertThat(received.next()).isIn("failed", "closed 1006");
            first.abort();
            TestRouter.waitFor(() -> router.backends().running() == 0);
        }
    }

    @Test
    void anIdleSocketIsClosed() throws Exception {
        router.router()
                .setTable(
                        TestRouter.table(
                                TestRouter.version(
                                        TestRouter.V1,
                                        new VersionRoutes.Timeouts(
                                                Duration.ofMinutes(5),
                                                Duration.ofMinutes(5),
                                                Duration.ofMillis(300)))));
        try (HttpClient client = HttpClient.newHttpClient()) {
            Received received = new Received();
            WebSocket socket = connect(client, received);
            socket.sendText("a", true).join();
            assertThat(received.next()).isEqualTo("a");
            assertThat(received.next()).isIn("failed", "closed 1006");
            TestRouter.waitFor(() -> router.backends().running() == 0);
        }
    }

    @Test
    void bytesThatFollowTheHandshakeAtOnceAreNotLost() throws IOException {
        try (RawClient client = router.client()) {
            byte[] mask = new byte[4];
            new Random(1).nextBytes(mask);
            client.send(
                    TestInstance.head(
                            "GET / HTTP/1.1",
                            "Host: demo.localhost",
                            "Connection: keep-alive, Upgrade",
                            "Upgrade: WebSocket",
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                            "Sec-WebSocket-Version: 13"));
            RawClient.Response head = client.head();
            assertThat(head.status()).isEqualTo(101);
            assertThat(head.header("sec-websocket-accept"))
                    .isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
            client.send(new byte[] {(byte) 0x82, (byte) 0x81, mask[0], mask[1], mask[2], mask[3]});
            client.send(new byte[] {(byte) (mask[0] ^ 7)});
            assertThat(client.in().readNBytes(3)).containsExactly(0x82, 1, 7);
        }
    }

    @Test
    void otherUpgradesAreIgnored() throws IOException {
        assertThat(router.get("/", "Connection: Upgrade", "Upgrade: tcp").text())
                .isEqualTo("plain");
        assertThat(
                        router.call(
                                        "POST",
                                        "/",
                                        "Connection: Upgrade",
                                        "Upgrade: websocket",
                                        "Content-Length: 0")
                                .text())
                .isEqualTo("plain");
    }
}
