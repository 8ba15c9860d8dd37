package petrichor.apps.instances;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Tests ports. */
final class FreePort {
    private FreePort() {}

    /** True if no socket is bound to it on any address: an app may listen on all of them. */
    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            // As apps do; otherwise connections of an ended instance would occupy it for a minute.
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(port), 1);
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
