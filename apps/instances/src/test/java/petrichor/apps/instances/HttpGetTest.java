package petrichor.apps.instances;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses of servers that do not close the connection, although the request asks for it. */
final class HttpGetTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 204 No Content\r\n\r\n",
                "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 204 OK\r\nConnection: keep-alive\r\ncontent-length:3\r\n\r\nyes",
                "HTTP/1.1 204 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n",
                "HTTP/1.1 204 OK\r\nContent-Length: 1000\r\n\r\npart",
                "HTTP/1.1 204 OK\r\nX: unfinished",
            })
    void anOpenConnectionDoesNotDelayTheStatus(String response) throws Exception {
        CompletableFuture<Integer> after = new CompletableFuture<>();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread answering =
                    Thread.ofVirtual().start(() -> after.complete(answer(server, response)));
            long from = System.nanoTime();
            OptionalInt status = HttpGet.status(server.getLocalPort(), "/", Map.of(), TIMEOUT);
            assertThat(status).hasValue(204);
            assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(TIMEOUT.dividedBy(2));
            assertThat(after.get(60, TimeUnit.SECONDS)).isEqualTo(-1);
            answering.join();
        }
    }

    /** Answers, and returns what comes after the request. */
    private static int answer(ServerSocket server, String response) {
        try (Socket socket = server.accept()) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            StringBuilder request = new StringBuilder();
            while (!request.toString().endsWith("\r\n\r\n")) {
                request.append((char) in.read());
            }
            out.write(response.getBytes(StandardCharsets.ISO_8859_1));
            return in.read();
        } catch (IOException reset) {
            return -2;
        }
    }
}
