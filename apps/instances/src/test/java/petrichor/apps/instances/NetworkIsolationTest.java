package petrichor.apps.instances;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an instance reaches on the network of its machine. */
final class NetworkIsolationTest {
    private static final String DENIED = "error: PermissionError";
    private static final List<String> STREAMS = List.of("tcp", "mptcp", "fast-open");

    @TempDir Path folder;
    private @Nullable TestHost opened;

    @BeforeEach
    void require() {
        TestHost.require(IsolationFeature.NETWORK);
    }

    @AfterEach
    void close() {
        TestHost host = opened;
        if (host != null) {
            host.close();
        }
    }

    private void open(InetSocketAddress... services) throws IOException {
        opened = new TestHost(folder, List.of(services));
    }

    private TestHost tested() {
        return requireNonNull(opened);
    }

    private String connect(Instance instance, String kind, String host, int port)
            throws IOException, InterruptedException {
        String text = Integer.toString(port);
        return tested().ask(instance, "/connect", "kind", kind, "host", host, "port", text);
    }

    private int ask(Instance instance, String what, String host)
            throws IOException, InterruptedException {
        return Integer.parseInt(tested().ask(instance, what, "host", host));
    }

    /** Ways to name the loopback address of IPv4. */
    private static List<String> loopbacks() {
        return List.of("127.0.0.1", "0.0.0.0", "::ffff:127.0.0.1", "::ffff:0.0.0.0", "127.9.8.7");
    }

    private static List<InetAddress> ownAddresses() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(each -> !each.isLoopbackAddress() && !each.isLinkLocalAddress())
                .toList();
    }

    @Test
    void doesNotReachOtherInstances() throws Exception {
        open();
        Instance first = tested().ready(tested().spec("everywhere"));
        Instance second = tested().ready(tested().spec("serve"));
        int datagrams = ask(first, "/datagrams", "0.0.0.0");
        for (String host : Stream.concat(loopbacks().stream(), own(Inet4Address.class)).toList()) {
            for (String kind : STREAMS) {
                assertThat(connect(second, kind, host, first.port()))
                        .as("%s to %s", kind, host)
                        .isEqualTo(DENIED);
            }
            assertThat(connect(second, "udp", host, datagrams)).as(host).isEqualTo(DENIED);
            assertThat(connect(second, "connected udp", host, datagrams))
                    .as(host)
                    .isEqualTo(DENIED);
        }
        assertThat(connect(first, "tcp", "127.0.0.1", second.port())).isEqualTo(DENIED);
        assertThat(first.state()).isEqualTo(new InstanceState.Ready());
    }

    private static Stream<String> own(Class<? extends InetAddress> kind) throws IOException {
        return ownAddresses().stream().filter(kind::isInstance).map(InetAddress::getHostAddress);
    }

    @Test
    void doesNotReachServersOfTheMachine() throws Exception {
        open();
        Instance instance = tested().ready(tested().spec("serve"));
        try (ServerSocket server = new ServerSocket(0);
                DatagramSocket datagrams = new DatagramSocket(0)) {
            Stream<String> v6 = Stream.concat(Stream.of("::1", "::"), own(Inet6Address.class));
            Stream<String> v4 = Stream.concat(loopbacks().stream(), own(Inet4Address.class));
            for (String host : Stream.concat(v4, v6.map(each -> each.split("%", -1)[0])).toList()) {
                assertThat(connect(instance, "tcp", host, server.getLocalPort()))
                        .as(host)
                        .isEqualTo(DENIED);
                assertThat(connect(instance, "udp", host, datagrams.getLocalPort()))
                        .as(host)
                        .isEqualTo(DENIED);
            }
        }
    }

    @Test
    void reachesTheServicesOfThePlatformOnly() throws Exception {
        try (ServerSocket api = new ServerSocket(0, 9, InetAddress.ofLiteral("127.0.0.1"));
                ServerSocket api6 = new ServerSocket(0, 9, InetAddress.ofLiteral("::1"));
                ServerSocket other = new ServerSocket(0, 9, InetAddress.ofLiteral("127.0.0.1"))) {
            open(
                    (InetSocketAddress) api.getLocalSocketAddress(),
                    (InetSocketAddress) api6.getLocalSocketAddress());
            Instance instance = tested().ready(tested().spec("serve"));
            for (String kind : STREAMS) {
                assertThat(connect(instance, kind, "127.0.0.1", api.getLocalPort()))
                        .isEqualTo("reached");
                assertThat(connect(instance, kind, "127.0.0.1", other.getLocalPort()))
                        .isEqualTo(DENIED);
            }
            assertThat(connect(instance, "tcp", "::1", api6.getLocalPort())).isEqualTo("reached");
            assertThat(connect(instance, "tcp", "::ffff:127.0.0.1", api.getLocalPort()))
                    .isEqualTo("reached");
        }
    }

    @Test
    void reachesItsOwnServers() throws Exception {
        open();
        Instance first = tested().ready(tested().spec("serve"));
        Instance second = tested().ready(tested().spec("serve"));
        for (String host : List.of("127.0.0.1", "::1")) {
            int port = ask(first, "/listen", host);
            assertThat(connect(first, "tcp", host, port)).isEqualTo("reached");
            assertThat(connect(second, "tcp", host, port)).isEqualTo(DENIED);
            int datagrams = ask(first, "/datagrams", host);
            assertThat(connect(first, "udp", host, datagrams)).isEqualTo("reached");
            assertThat(connect(second, "udp", host, datagrams)).isEqualTo(DENIED);
        }
        assertThat(connect(first, "tcp", "127.0.0.1", first.port())).isEqualTo("reached");
    }

    @Test
    void aPortWithoutAServerRefuses() throws Exception {
        open();
        Instance instance = tested().ready(tested().spec("serve"));
        for (String host : List.of("127.0.0.1", "::1")) {
            int port;
            try (ServerSocket closed = new ServerSocket(0)) {
                port = closed.getLocalPort();
            }
            // Clients try the next address of a name.
            assertThat(connect(instance, "tcp", host, port))
                    .isEqualTo("error: ConnectionRefusedError");
        }
    }

    @Test
    void otherMachinesAreReachable() throws Exception {
        open();
        Instance instance = tested().ready(tested().spec("serve"));
        // Addresses for documentation, so there is no answer; the guard would say EPERM.
        for (String host : List.of("198.51.100.7", "2001:db8::7")) {
            assertThat(tested().ask(instance, "/begin-connect", "host", host, "port", "443"))
                    .as(host)
                    .isIn("EINPROGRESS", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL");
        }
    }

    @Test
    void datagramsReachAService() throws Exception {
        try (DatagramSocket service = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.1"))) {
            open((InetSocketAddress) service.getLocalSocketAddress());
            Instance instance = tested().ready(tested().spec("serve"));
            assertThat(connect(instance, "udp", "127.0.0.1", service.getLocalPort()))
                    .isEqualTo("reached");
            DatagramPacket packet = new DatagramPacket(new byte[100], 100);
            service.setSoTimeout(Math.toIntExact(TestHost.WAIT_MAX.toMillis()));
            service.receive(packet);
            assertThat(new String(packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8))
                    .isEqualTo("datagram");
        }
    }

    @Test
    void otherMachinesAreReachedButDoNotReachAnInstance() throws Exception {
        open();
        Instance first = tested().ready(tested().spec("everywhere"));
        Instance second = tested().ready(tested().spec("serve"));
        int datagrams = ask(first, "/datagrams", "0.0.0.0");
        // The policies of the instances do not know the address that this adds.
        try (OtherMachine other = new OtherMachine();
                ServerSocket server = new ServerSocket(0)) {
            assertThat(other.connect(server.getLocalPort())).isEqualTo("reached");
            assertThat(connect(first, "tcp", other.there, other.port)).isEqualTo("reached");

            assertThat(other.connect(first.port())).isNotEqualTo("reached");
            for (int port : List.of(first.port(), server.getLocalPort())) {
                String[] question = {
                    "kind", "tcp", "host", other.here, "port", "" + port, "seconds", "2"
                };
                assertThat(tested().ask(second, "/connect", question)).isNotEqualTo("reached");
            }
            assertThat(connect(second, "udp", other.here, datagrams)).isEqualTo(DENIED);
        }
    }
}
