package petrichor.server.apps;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.table.AppRoutes;
import petrichor.apps.router.table.ServiceRoutes;
import petrichor.apps.router.table.TrafficSplit;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.router.table.VersionRoutes;

/**
 * Where the tasks of a target go.
 *
 * @param fixed the version, if the target names one
 */
record TaskTarget(ServiceRoutes service, Optional<VersionName> fixed) {
    /**
     * The last part of a target is the service; another name is a version of the default service.
     * Null if there is none.
     */
    static @Nullable TaskTarget of(AppRoutes app, String target) {
        String[] parts = target.split("\\.", -1);
        ServiceRoutes named =
                app.services().get(target.isEmpty() ? AppRoutes.DEFAULT : parts[parts.length - 1]);
        ServiceRoutes service = named == null ? app.services().get(AppRoutes.DEFAULT) : named;
        if (service == null) {
            return null;
        }
        VersionRoutes version =
                service.versions().get(parts.length > 1 ? parts[parts.length - 2] : target);
        return new TaskTarget(service, Optional.ofNullable(version).map(VersionRoutes::name));
    }

    /**
     * @param bucket of the traffic split
     */
    VersionName version(int bucket) {
        return fixed.orElseGet(() -> service.version(bucket).name());
    }

    /** How many of these tasks go to a version. */
    int share(VersionName version, int tasks) {
        if (fixed.isPresent()) {
            return fixed.get().equals(version) ? tasks : 0;
        }
        if (!service.service().equals(version.service())) {
            return 0;
        }
        int share = service.split().shares().getOrDefault(version.version(), 0);
        return Math.ceilDiv(tasks * share, TrafficSplit.BUCKETS);
    }
}
