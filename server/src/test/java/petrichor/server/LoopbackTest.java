package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.server.config.ServerConfig;

/** Tests that clients can use either loopback address of localhost. */
class LoopbackTest {
    private static final String FOUR = "127.0.0.1";
    private static final String SIX = "::1";

    @Test
    void localhostIsBothLoopbackAddresses() throws IOException {
        try (TestServer server = TestServer.start()) {
            assertThat(livez(FOUR, server.port())).endsWith("ok\n");
            assumeThat(hasSix()).isTrue();
            assertThat(livez(SIX, server.port())).endsWith("ok\n");
        }
    }

    @Test
    void anAddressIsOnlyThatAddress() throws IOException {
        assumeThat(hasSix()).isTrue();
        try (TestServer server =
                TestServer.start(
                        config ->
                                config.withServer(
                                        new ServerConfig.Listen(
                                                FOUR, 0, false, Duration.ofSeconds(1))))) {
            assertThat(livez(FOUR, server.port())).endsWith("ok\n");
            assertThatThrownBy(() -> livez(SIX, server.port()))
                    .isInstanceOf(ConnectException.class);
        }
    }

    @Test
    void aPortThatAnotherProgramHasOnOneOfThemIsTaken() throws IOException {
        assumeThat(hasSix()).isTrue();
        try (ServerSocket other = new ServerSocket()) {
            other.bind(new InetSocketAddress(InetAddress.ofLiteral(SIX), 0));
            int port = other.getLocalPort();
            ServerConfig taken = ServerConfig.defaults().withMemory().withPort(port);
            assertThatThrownBy(() -> Server.start(taken).close())
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("1]:" + port)
                    .hasMessageContaining("--port");
            assertThatThrownBy(() -> livez(FOUR, port))
                    .as("nothing is left on the other address")
                    .isInstanceOf(ConnectException.class);
        }
    }

    private static boolean hasSix() throws IOException {
        return NetworkInterface.getByInetAddress(InetAddress.ofLiteral(SIX)) != null;
    }

    private static String livez(String address, int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.ofLiteral(address), port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write(
                            "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
