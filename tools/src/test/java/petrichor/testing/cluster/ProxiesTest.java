package petrichor.testing.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests connected and cut links of proxies. */
final class ProxiesTest {
    private static final int SILENCE_MS = 200;
    private static final int ANSWER_MS_MAX = 10_000;

    private final Proxies network = new Proxies();
    private ServerSocket echo = noSocket();

    private static ServerSocket noSocket() {
        try {
            return new ServerSocket();
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    @BeforeEach
    void anEchoListens() throws IOException {
        echo = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                while (true) {
                                    Socket socket = echo.accept();
                                    Thread.ofVirtual().start(() -> repeat(socket));
                                }
                            } catch (IOException closed) {
                                // The test is over.
                            }
                        });
    }

    private static void repeat(Socket socket) {
        try (socket) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException closed) {
            // The other end has closed.
        }
    }

    @AfterEach
    void everythingIsClosed() throws IOException {
        network.close();
        echo.close();
    }

    private Socket connect(String from) throws IOException {
        String address = network.route(from, "store", "127.0.0.1:" + echo.getLocalPort());
        String[] parts = address.split(":", -1);
        Socket socket = new Socket(parts[0], Integer.parseInt(parts[1]));
        socket.setSoTimeout(ANSWER_MS_MAX);
        return socket;
    }

    private static int ask(Socket socket, int what) throws IOException {
        socket.getOutputStream().write(what);
        return socket.getInputStream().read();
    }

    @Test
    void aCutLinkIsSilentAndContinuesWhenRestored() throws IOException {
        try (Socket one = connect("one");
                Socket other = connect("other")) {
            assertThat(ask(one, 1)).isEqualTo(1);
            network.cut("one", "store");
            one.setSoTimeout(SILENCE_MS);
            assertThatThrownBy(() -> ask(one, 2)).isInstanceOf(SocketTimeoutException.class);
            assertThat(ask(other, 3)).isEqualTo(3);
            network.heal();
            one.setSoTimeout(ANSWER_MS_MAX);
            assertThat(one.getInputStream().read()).isEqualTo(2);
            assertThat(ask(one, 4)).isEqualTo(4);
        }
    }

    @Test
    void aNewConnectionOverACutLinkWaits() throws IOException {
        try (Socket known = connect("one")) {
            assertThat(ask(known, 1)).isEqualTo(1);
            network.cut("store", "one");
            try (Socket late = connect("one")) {
                late.setSoTimeout(SILENCE_MS);
                assertThatThrownBy(() -> ask(late, 2)).isInstanceOf(SocketTimeoutException.class);
                network.heal();
                late.setSoTimeout(ANSWER_MS_MAX);
                assertThat(late.getInputStream().read()).isEqualTo(2);
            }
        }
    }

    @Test
    void anEndThatClosesClosesTheOther() throws IOException {
        try (Socket one = connect("one")) {
            assertThat(ask(one, 1)).isEqualTo(1);
            one.shutdownOutput();
            assertThat(one.getInputStream().read()).isEqualTo(-1);
        }
    }
}
