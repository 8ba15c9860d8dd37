package petrichor.apps.router;

import java.net.InetSocketAddress;
import java.util.Optional;
import petrichor.apps.router.table.VersionName;

/**
 * An instance that was acquired for one request, or another server of the cluster that has one.
 *
 * @param id of the instance, for the log; or of the server
 * @param address where it speaks HTTP/1.1
 * @param gate of another server; empty for an instance
 */
public record Backend(
        VersionName version, String id, InetSocketAddress address, Optional<Gate> gate) {
    /**
     * @param token that the server demands
     */
    public record Gate(String token) {}

    /** An instance of this server. */
    public Backend(VersionName version, String id, InetSocketAddress address) {
        this(version, id, address, Optional.empty());
    }
}
