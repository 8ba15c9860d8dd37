package petrichor.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Decides where the server may listen. */
final class ListenAddress {
    private ListenAddress() {}

    /**
     * FAILED_PRECONDITION when others could reach a server that asks nobody who they are, unless
     * the configuration insists.
     */
    static InetSocketAddress of(ServerConfig config) {
        ServerConfig.Listen listen = config.server();
        InetAddress host = resolve(listen.host());
        if (!host.isLoopbackAddress() && !config.auth().required() && !listen.insecure()) {
            throw new PetrichorException(
                    ErrorCode.FAILED_PRECONDITION,
                    "refusing to listen on "
                            + listen.host()
                            + ": everybody who reaches this address could read and change all data."
                            + " Set auth.token-file (and tls.certificate, tls.key), or say"
                            + " --insecure if that is what you want",
                    Map.of("host", listen.host()));
        }
        return new InetSocketAddress(host, listen.port());
    }

    private static InetAddress resolve(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException unknown) {
            throw new PetrichorException(
                    ErrorCode.INVALID_ARGUMENT,
                    "server.host is "
                            + host
                            + ", which is no address of this machine; use localhost, an address, or"
                            + " 0.0.0.0 for all of them",
                    Map.of("host", host),
                    unknown);
        }
    }
}
