package petrichor.frontends.access;

import java.net.InetSocketAddress;

/**
 * Identifies the apps whose instances call this server, by their connections instead of tokens.
 * Thread-safe; called by network threads.
 */
@FunctionalInterface
public interface AppCallers {
    /**
     * The app as a caller, limited to its project. UNAUTHENTICATED if no instance opened the
     * connection.
     *
     * @param client the end of the client
     * @param server the end of this server
     */
    Caller caller(InetSocketAddress client, InetSocketAddress server);
}
