package petrichor.apps.router;

import java.net.InetSocketAddress;
import petrichor.apps.router.table.VersionName;

/**
 * An instance that was acquired for one request.
 *
 * @param id of the instance, for the log
 * @param address where it speaks HTTP/1.1
 */
public record Backend(VersionName version, String id, InetSocketAddress address) {}
