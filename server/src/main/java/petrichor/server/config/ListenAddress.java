package petrichor.server.config;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Determines the addresses on which the server listens. */
public final class ListenAddress {
    private static final Logger LOG = LoggerFactory.getLogger(ListenAddress.class);
    private static final String THIS_MACHINE = "localhost";

    private ListenAddress() {}

    /**
     * FAILED_PRECONDITION if other machines could reach a server without authentication, unless the
     * configuration allows it.
     */
    public static List<InetAddress> of(ServerConfig config) {
        ServerConfig.Listen listen = config.server();
        List<InetAddress> hosts = resolve(listen.host());
        if (!hosts.stream().allMatch(InetAddress::isLoopbackAddress)
                && !config.auth().required()
                && !listen.insecure()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "refusing to listen on {host} without authentication: any client that reaches"
                            + " it could read and change all data. Set auth.token-file (and"
                            + " tls.certificate, tls.key), or use --insecure",
                    "host",
                    listen.host());
        }
        return hosts;
    }

    private static List<InetAddress> resolve(String host) {
        try {
            return host.equalsIgnoreCase(THIS_MACHINE)
                    ? bothLoopbacks()
                    : List.of(InetAddress.getByName(host));
        } catch (UnknownHostException unknown) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    unknown,
                    "server.host is {host}, which is not an address of this machine; use localhost,"
                            + " one of its addresses, or 0.0.0.0 for all of them",
                    "host",
                    host);
        }
    }

    /**
     * Both loopback addresses, because clients differ in which one they try first, and some try
     * only one.
     */
    private static List<InetAddress> bothLoopbacks() {
        InetAddress four = InetAddress.ofLiteral("127.0.0.1");
        InetAddress six = InetAddress.ofLiteral("::1");
        if (isHere(six)) {
            return List.of(four, six);
        }
        LOG.info("this machine has no IPv6; localhost is 127.0.0.1 only");
        return List.of(four);
    }

    private static boolean isHere(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException unknown) {
            return false;
        }
    }
}
