package petrichor.apps.router.table;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * All apps and their hosts. Immutable. Hosts of the platform's domain name an app, and optionally a
 * service, a version and an instance, joined by {@code -dot-}: {@code APP.DOMAIN}, {@code
 * SERVICE-dot-APP.DOMAIN}, {@code VERSION-dot-APP.DOMAIN}, {@code
 * VERSION-dot-SERVICE-dot-APP.DOMAIN} and {@code INSTANCE-dot-VERSION-dot-SERVICE-dot-APP.DOMAIN}.
 * A name of a service, version or instance that does not exist leads to the default service, as on
 * App Engine.
 *
 * @param domain the platform's domain, such as {@code apps.localhost}
 * @param defaultApp the app of hosts that nothing else matches
 * @param apps by name
 * @param customDomains by host in lower case; {@code *.example.com} matches all its subdomains
 */
public record RoutingTable(
        String domain,
        Optional<String> defaultApp,
        Map<String, AppRoutes> apps,
        Map<String, CustomDomain> customDomains) {
    /** A table without apps. */
    public static final RoutingTable EMPTY =
            new RoutingTable("localhost", Optional.empty(), Map.of(), Map.of());

    private static final String SEPARATOR = "-dot-";
    private static final int HOST_PARTS_MAX = 4;

    public RoutingTable {
        apps = Map.copyOf(apps);
        customDomains = Map.copyOf(customDomains);
        for (Map.Entry<String, AppRoutes> entry : apps.entrySet()) {
            requireSame(entry.getKey(), entry.getValue().app());
        }
        if (defaultApp.isPresent()) {
            requireApp(defaultApp.get(), apps);
        }
        for (Map.Entry<String, CustomDomain> entry : customDomains.entrySet()) {
            requireApp(entry.getValue().app(), apps);
            if (!entry.getKey().equals(entry.getKey().toLowerCase(Locale.ROOT))) {
                throw PetrichorException.invalid(
                        "the custom domain '{host}' must be in lower case", "host", entry.getKey());
            }
        }
    }

    /** The app, and the service if not the default one, that a custom domain leads to. */
    public record CustomDomain(String app, Optional<String> service) {}

    /** What a host names. */
    public sealed interface Match permits Service, Version, Unknown {}

    /** A service; the traffic split chooses the version. */
    public record Service(AppRoutes app, ServiceRoutes service) implements Match {}

    /** A version, which dispatch rules and the traffic split do not change. */
    public record Version(
            AppRoutes app, ServiceRoutes service, VersionRoutes version, Optional<String> instance)
            implements Match {}

    /** No app has this host. */
    public record Unknown() implements Match {}

    /**
     * @param host without port, in lower case
     */
    public Match match(String host) {
        if (host.length() > domain.length() + 1
                && host.endsWith(domain)
                && host.charAt(host.length() - domain.length() - 1) == '.') {
            String[] parts =
                    host.substring(0, host.length() - domain.length() - 1).split(SEPARATOR, -1);
            AppRoutes app = apps.get(parts[parts.length - 1]);
            if (app != null) {
                return within(app, parts);
            }
        }
        CustomDomain custom = customDomain(host);
        if (custom != null) {
            AppRoutes app = apps.get(custom.app());
            ServiceRoutes service =
                    app == null
                            ? null
                            : app.services().get(custom.service().orElse(AppRoutes.DEFAULT));
            return app == null || service == null ? new Unknown() : new Service(app, service);
        }
        AppRoutes fallback = defaultApp.map(apps::get).orElse(null);
        return fallback == null ? new Unknown() : defaultService(fallback);
    }

    /** Of a version; the standard ones if the table does not have it. */
    public VersionRoutes.Timeouts timeouts(VersionName version) {
        AppRoutes app = apps.get(version.app());
        ServiceRoutes service = app == null ? null : app.services().get(version.service());
        VersionRoutes known = service == null ? null : service.versions().get(version.version());
        return known == null ? VersionRoutes.Timeouts.DEFAULT : known.timeouts();
    }

    private @Nullable CustomDomain customDomain(String host) {
        if (customDomains.isEmpty()) {
            return null;
        }
        CustomDomain exact = customDomains.get(host);
        for (int dot = host.indexOf('.');
                exact == null && dot >= 0;
                dot = host.indexOf('.', dot + 1)) {
            exact = customDomains.get("*" + host.substring(dot));
        }
        return exact;
    }

    private static Match within(AppRoutes app, String[] parts) {
        if (parts.length == 1 || parts.length > HOST_PARTS_MAX) {
            return defaultService(app);
        }
        ServiceRoutes service = app.services().get(parts[parts.length - 2]);
        if (service == null) {
            ServiceRoutes first = app.services().get(AppRoutes.DEFAULT);
            return first == null || parts.length > 3
                    ? defaultService(app)
                    : version(app, first, parts, parts.length - 2);
        }
        return parts.length == 2
                ? new Service(app, service)
                : version(app, service, parts, parts.length - 3);
    }

    private static Match version(AppRoutes app, ServiceRoutes service, String[] parts, int index) {
        VersionRoutes version = service.versions().get(parts[index]);
        if (version == null) {
            return defaultService(app);
        }
        Optional<String> instance = index == 0 ? Optional.empty() : Optional.of(parts[index - 1]);
        return new Version(app, service, version, instance);
    }

    private static Match defaultService(AppRoutes app) {
        ServiceRoutes service = app.services().get(AppRoutes.DEFAULT);
        return service == null ? new Unknown() : new Service(app, service);
    }

    private static void requireApp(String app, Map<String, AppRoutes> apps) {
        if (!apps.containsKey(app)) {
            throw PetrichorException.invalid(
                    "a host leads to the app '{app}', which the table does not contain",
                    "app",
                    app);
        }
    }

    static void requireSame(String key, String name) {
        if (!key.equals(name)) {
            throw PetrichorException.invalid(
                    "'{name}' is in the table under another name: '{key}'",
                    "name",
                    name,
                    "key",
                    key);
        }
    }
}
