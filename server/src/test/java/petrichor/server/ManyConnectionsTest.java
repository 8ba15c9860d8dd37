package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.LookupRequest;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ManyConnectionsTest {
    /** Both ends are in this process, so this is the total cost of an idle client. */
    private static final long HEAP_BYTES_PER_CONNECTION_MAX = 24 << 10;

    /** Memory of a server without clients, including its heap in this test. */
    private static final long RESIDENT_BYTES_MAX = 512L << 20;

    private static final Pattern CONNECTIONS = Pattern.compile("petrichor_connections (\\d+)");
    private static final String HTTP1 = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final String HTTP2 = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";

    @Test
    void aThousandIdleConnectionsOfEachKindCostLittle() throws IOException {
        try (TestServer server = TestServer.start()) {
            assertThat(server.get("/livez").statusCode()).isEqualTo(200);
            long before = usedHeap();
            List<SocketChannel> clients = idle(server.port(), 1_000);
            try {
                long perConnection = (usedHeap() - before) / clients.size();
                assertThat(perConnection).isLessThan(HEAP_BYTES_PER_CONNECTION_MAX);
                assertThat(connections(server.get("/metrics").body()))
                        .isGreaterThanOrEqualTo(clients.size());
            } finally {
                close(clients);
            }
            assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
        }
    }

    /**
     * The server runs in a separate process, because both ends together would exceed the limit on
     * open files.
     */
    @Test
    @Tag("slow")
    void besideTenThousandIdleConnectionsAServerWithASmallHeapServes() throws IOException {
        try (ServerProcess server =
                ServerProcess.start(ProcessBuilder.Redirect.INHERIT, "-Xmx256m")) {
            List<SocketChannel> clients = idle(server.port(), 5_000);
            try {
                assertThat(clients).hasSize(10_000);
                assertThat(connections(exchange(server.port(), "GET /metrics")))
                        .isGreaterThanOrEqualTo(clients.size());
                assertServes(server.port());
                OptionalLong resident = server.residentBytes();
                resident.ifPresent(bytes -> assertThat(bytes).isLessThan(RESIDENT_BYTES_MAX));
            } finally {
                close(clients);
            }
            assertThat(exchange(server.port(), "GET /readyz")).endsWith("ok\n");
        }
    }

    /** The same number of connections of both kinds, each after one request. */
    private static List<SocketChannel> idle(int port, int ofEachKind) throws IOException {
        List<SocketChannel> clients = new ArrayList<>();
        for (int i = 0; i < ofEachKind; i++) {
            clients.add(client(port, HTTP1));
            clients.add(client(port, HTTP2));
        }
        for (SocketChannel client : clients) {
            // the response to the request, or the server's first settings
            assertThat(client.read(ByteBuffer.allocate(512))).isPositive();
        }
        return clients;
    }

    private static SocketChannel client(int port, String hello) throws IOException {
        SocketChannel client =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        client.write(ByteBuffer.wrap(hello.getBytes(StandardCharsets.ISO_8859_1)));
        return client;
    }

    private static void close(List<SocketChannel> clients) throws IOException {
        for (SocketChannel client : clients) {
            client.close();
        }
    }

    private static void assertServes(int port) {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        try {
            LookupRequest.Builder request = LookupRequest.newBuilder().setProjectId("p");
            request.addKeysBuilder().addPathBuilder().setKind("Kind").setId(1);
            assertThat(
                            ClientCalls.blockingUnaryCall(
                                            channel,
                                            TestServer.LOOKUP,
                                            CallOptions.DEFAULT.withDeadlineAfter(
                                                    20, TimeUnit.SECONDS),
                                            request.build())
                                    .getMissingCount())
                    .isEqualTo(1);
        } finally {
            channel.shutdownNow();
        }
    }

    private static String exchange(int port, String line) throws IOException {
        try (SocketChannel client =
                client(port, line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")) {
            return new String(
                    client.socket().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static int connections(String metrics) {
        Matcher open = CONNECTIONS.matcher(metrics);
        assertThat(open.find()).isTrue();
        return Integer.parseInt(open.group(1));
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
