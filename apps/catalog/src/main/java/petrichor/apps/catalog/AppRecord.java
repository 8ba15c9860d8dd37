package petrichor.apps.catalog;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * An app.
 *
 * @param services by name, in the order of their names
 */
public record AppRecord(
        String name, Map<String, ServiceRecord> services, AppConfiguration configuration) {
    /** App Engine's limit for apps that pay. */
    public static final int SERVICES_MAX = 105;

    /** The service that answers requests for no other one. */
    public static final String DEFAULT_SERVICE = "default";

    public AppRecord {
        Names.requireApp(name);
        services = Collections.unmodifiableMap(new TreeMap<>(services));
        if (services.size() > SERVICES_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the app {app} has {servicesMax} services already; delete one",
                    "app",
                    name,
                    "servicesMax",
                    SERVICES_MAX);
        }
    }

    public ServiceRecord service(String service) {
        ServiceRecord found = services.get(service);
        if (found == null) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "the app {app} has no service {service}",
                    "app",
                    name,
                    "service",
                    service);
        }
        return found;
    }

    AppRecord with(ServiceRecord service) {
        Map<String, ServiceRecord> all = new TreeMap<>(services);
        all.put(service.name(), service);
        return new AppRecord(name, all, configuration);
    }

    AppRecord with(AppConfiguration changed) {
        return new AppRecord(name, services, changed);
    }

    static AppRecord empty(String name) {
        return new AppRecord(name, Map.of(), AppConfiguration.NONE);
    }
}
