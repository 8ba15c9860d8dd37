package petrichor.apps.instances.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
final class SocketOwnersTest {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    private final SocketOwners owners = new SocketOwners();

    private static InetSocketAddress at(int port) {
        return new InetSocketAddress(LOOPBACK, port);
    }

    @Test
    void aConnectionBelongsToItsOpenerUntilItIsClosed() throws Exception {
        int self = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        try (ServerSocket listening = new ServerSocket(0, 1, LOOPBACK)) {
            InetSocketAddress to = at(listening.getLocalPort());
            InetSocketAddress from;
            try (Socket client = new Socket(LOOPBACK, listening.getLocalPort())) {
                from = at(client.getLocalPort());
                assertThat(owners.userOf(from, to)).isEqualTo(OptionalInt.of(self));
                client.shutdownOutput();
                assertThat(owners.userOf(from, to)).isEqualTo(OptionalInt.of(self));
            }
            assertThat(owners.userOf(from, to)).isEmpty();
        }
    }

    @Test
    void aServerThatListensIsNotAClient() throws Exception {
        try (ServerSocket one = new ServerSocket(0, 1, LOOPBACK);
                ServerSocket another = new ServerSocket(0, 1, LOOPBACK)) {
            assertThat(owners.userOf(at(one.getLocalPort()), at(another.getLocalPort()))).isEmpty();
        }
    }
}
