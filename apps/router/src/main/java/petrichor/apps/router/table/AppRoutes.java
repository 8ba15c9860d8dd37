package petrichor.apps.router.table;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The services of an app.
 *
 * @param services by name; the one named {@link #DEFAULT} answers where no other is named
 * @param dispatch in order; the first that matches applies
 * @param openPaths the paths below {@code /_ah/} that outside requests may use
 * @param limits of its visitors' requests
 */
public record AppRoutes(
        String app,
        Map<String, ServiceRoutes> services,
        List<DispatchRule> dispatch,
        List<OpenPath> openPaths,
        RequestLimits limits) {
    /** The name of the default service. */
    public static final String DEFAULT = "default";

    public AppRoutes {
        services = Map.copyOf(services);
        dispatch = List.copyOf(dispatch);
        openPaths = List.copyOf(openPaths);
        services.forEach((key, service) -> RoutingTable.requireSame(key, service.service()));
    }

    /** Without limits of its own. */
    public AppRoutes(
            String app,
            Map<String, ServiceRoutes> services,
            List<DispatchRule> dispatch,
            List<OpenPath> openPaths) {
        this(app, services, dispatch, openPaths, RequestLimits.NONE);
    }

    /** The service that a dispatch rule chooses; null if none applies. */
    public @Nullable ServiceRoutes dispatched(String host, String path) {
        for (DispatchRule rule : dispatch) {
            if (rule.matches(host, path)) {
                return services.get(rule.service());
            }
        }
        return null;
    }

    /** The open path that contains the given one; null if it is closed. */
    public @Nullable OpenPath openPath(String path) {
        for (OpenPath open : openPaths) {
            if (open.contains(path)) {
                return open;
            }
        }
        return null;
    }
}
