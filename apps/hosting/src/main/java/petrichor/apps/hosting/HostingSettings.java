package petrichor.apps.hosting;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Settings of the hosting of apps.
 *
 * @param folder of static files and logs of instances
 * @param domain of the hosts of apps: APP.DOMAIN
 * @param defaultApp answers requests to other hosts; empty for the only one there is
 * @param api where apps call the platform's APIs, and the router finds its pages
 */
public record HostingSettings(
        Path folder, String domain, Optional<String> defaultApp, InetSocketAddress api) {}
