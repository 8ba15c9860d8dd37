package petrichor.rpc;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The routed services of a server. Thread-safe. */
final class RoutedServices {
    private final Map<String, RoutedService> services = new ConcurrentHashMap<>();

    /** Replaces the service of that name. */
    void register(RoutedService service) {
        services.put(service.name(), service);
    }

    RoutedCall decode(RoutedService.Forwarded call) {
        String method = call.method();
        int slash = method.indexOf('/');
        RoutedService service = slash < 0 ? null : services.get(method.substring(0, slash));
        if (service == null) {
            throw RoutedService.unknown(method);
        }
        return service.decode(call);
    }
}
