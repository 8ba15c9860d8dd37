package petrichor.server.apps;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import petrichor.apps.router.AppRouter;
import petrichor.server.config.AppSettings;

/** What instances may use of this machine: the API, the router for other apps, and more. */
final class ReachableServices {
    private ReachableServices() {}

    static List<InetSocketAddress> of(
            AppSettings.Hosting settings, InetSocketAddress address, AppRouter router) {
        List<InetSocketAddress> own = new ArrayList<>(router.addresses());
        own.add(address);
        List<InetSocketAddress> all = new ArrayList<>(settings.reachable());
        all.addAll(own);
        for (InetSocketAddress each : own) {
            // "localhost" has two addresses, of which clients may try either first.
            if (each.getAddress().isLoopbackAddress()) {
                for (String loopback : List.of("127.0.0.1", "::1")) {
                    all.add(new InetSocketAddress(InetAddress.ofLiteral(loopback), each.getPort()));
                }
            }
        }
        return all.stream().distinct().toList();
    }
}
