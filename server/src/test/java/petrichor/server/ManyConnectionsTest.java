package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ManyConnectionsTest {
    /** Both ends live in this process, so this is what an idle client costs on both sides. */
    private static final long HEAP_BYTES_PER_CONNECTION_MAX = 24 << 10;

    private static final Pattern CONNECTIONS = Pattern.compile("petrichor_connections (\\d+)");

    @Test
    void aThousandIdleConnectionsOfEachKindCostLittle() throws IOException {
        idle(1_000);
    }

    @Test
    @Tag("slow")
    void tenThousandIdleConnectionsCostLittle() throws IOException {
        idle(5_000);
    }

    private static void idle(int ofEachKind) throws IOException {
        try (TestServer server = TestServer.start()) {
            assertThat(server.get("/livez").statusCode()).isEqualTo(200);
            long before = usedHeap();
            List<SocketChannel> clients = new ArrayList<>();
            try {
                for (int i = 0; i < ofEachKind; i++) {
                    clients.add(client(server, "GET /livez HTTP/1.1\r\n\r\n"));
                    clients.add(
                            client(server, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"));
                }
                for (SocketChannel client : clients) {
                    // the answer to the request, or the server's first settings
                    assertThat(client.read(ByteBuffer.allocate(512))).isPositive();
                }
                long perConnection = (usedHeap() - before) / clients.size();
                assertThat(perConnection).isLessThan(HEAP_BYTES_PER_CONNECTION_MAX);
                Matcher open = CONNECTIONS.matcher(server.get("/metrics").body());
                assertThat(open.find()).isTrue();
                assertThat(Integer.parseInt(open.group(1))).isGreaterThanOrEqualTo(clients.size());
            } finally {
                for (SocketChannel client : clients) {
                    client.close();
                }
            }
            assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
        }
    }

    private static SocketChannel client(TestServer server, String hello) throws IOException {
        SocketChannel client =
                SocketChannel.open(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        client.write(ByteBuffer.wrap(hello.getBytes(StandardCharsets.ISO_8859_1)));
        return client;
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
