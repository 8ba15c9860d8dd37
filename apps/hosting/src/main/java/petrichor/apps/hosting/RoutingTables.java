package petrichor.apps.hosting;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import petrichor.apps.catalog.AppDomain;
import petrichor.apps.catalog.AppRecord;
import petrichor.apps.catalog.ServiceRecord;
import petrichor.apps.catalog.Traffic;
import petrichor.apps.router.table.AppRoutes;
import petrichor.apps.router.table.DispatchRule;
import petrichor.apps.router.table.OpenPath;
import petrichor.apps.router.table.RequestLimits;
import petrichor.apps.router.table.RoutingTable;
import petrichor.apps.router.table.ServiceRoutes;
import petrichor.apps.router.table.TrafficSplit;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.router.table.VersionRoutes;

/** Makes the router's table from the catalog and the versions that this server can run. */
final class RoutingTables {
    /** Pages of the platform that browsers use on the hosts of apps. */
    private static final List<OpenPath> OPEN_PATHS =
            List.of(
                    new OpenPath("/_ah/login", OpenPath.Server.PLATFORM),
                    new OpenPath("/_ah/logout", OpenPath.Server.PLATFORM),
                    new OpenPath("/_ah/upload", OpenPath.Server.PLATFORM),
                    new OpenPath("/_ah/channel", OpenPath.Server.PLATFORM),
                    new OpenPath("/_ah/img", OpenPath.Server.PLATFORM));

    private RoutingTables() {}

    /**
     * @param before the former table, which stays in effect for services whose versions are being
     *     prepared
     * @param limits of the requests to an app
     */
    static RoutingTable of(
            HostingSettings settings,
            List<AppRecord> apps,
            Map<VersionName, HostedVersion> hosted,
            RoutingTable before,
            Function<String, RequestLimits> limits) {
        Map<String, AppRoutes> routes = new HashMap<>();
        for (AppRecord app : apps) {
            Map<String, ServiceRoutes> services = new HashMap<>();
            for (ServiceRecord service : app.services().values()) {
                service(app, service, hosted)
                        .or(() -> former(before, app, service))
                        .ifPresent(one -> services.put(service.name(), one));
            }
            if (!services.isEmpty()) {
                routes.put(
                        app.name(),
                        new AppRoutes(
                                app.name(),
                                services,
                                dispatch(app),
                                OPEN_PATHS,
                                limits.apply(app.name())));
            }
        }
        Optional<String> only =
                routes.size() == 1 ? routes.keySet().stream().findFirst() : Optional.empty();
        return new RoutingTable(
                settings.domain(),
                settings.defaultApp().filter(routes::containsKey).or(() -> only),
                routes,
                domains(apps, routes.keySet()));
    }

    private static Map<String, RoutingTable.CustomDomain> domains(
            List<AppRecord> apps, Set<String> routed) {
        Map<String, RoutingTable.CustomDomain> domains = new HashMap<>();
        for (AppRecord app : apps) {
            if (routed.contains(app.name())) {
                for (AppDomain domain : app.configuration().domains()) {
                    domains.put(
                            domain.host(),
                            new RoutingTable.CustomDomain(
                                    app.name(), Optional.of(domain.service())));
                }
            }
        }
        return domains;
    }

    private static List<DispatchRule> dispatch(AppRecord app) {
        return app.configuration().dispatch().stream()
                .map(rule -> DispatchRule.of(rule.url(), rule.service()))
                .toList();
    }

    /** Empty if a version of the split cannot run here. */
    private static Optional<ServiceRoutes> service(
            AppRecord app, ServiceRecord service, Map<VersionName, HostedVersion> hosted) {
        Map<String, VersionRoutes> versions = new HashMap<>();
        for (String version : service.versions().keySet()) {
            HostedVersion known = hosted.get(new VersionName(app.name(), service.name(), version));
            if (known != null) {
                versions.put(version, known.routes());
            }
        }
        return service.traffic()
                .filter(split -> versions.keySet().containsAll(split.shares().keySet()))
                .map(split -> new ServiceRoutes(service.name(), versions, split(split)));
    }

    private static Optional<ServiceRoutes> former(
            RoutingTable before, AppRecord app, ServiceRecord service) {
        return Optional.ofNullable(before.apps().get(app.name()))
                .map(known -> known.services().get(service.name()));
    }

    private static TrafficSplit split(Traffic traffic) {
        return TrafficSplit.of(
                switch (traffic.by()) {
                    case COOKIE -> TrafficSplit.By.COOKIE;
                    case IP -> TrafficSplit.By.IP;
                    case RANDOM -> TrafficSplit.By.RANDOM;
                },
                traffic.shares());
    }
}
