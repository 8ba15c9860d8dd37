package petrichor.apps.router.table;

import java.util.Map;
import petrichor.base.PetrichorException;

/**
 * The versions of a service, and the split of its traffic among them.
 *
 * @param versions by name
 */
public record ServiceRoutes(
        String service, Map<String, VersionRoutes> versions, TrafficSplit split) {
    public ServiceRoutes {
        versions = Map.copyOf(versions);
        versions.forEach((key, version) -> RoutingTable.requireSame(key, version.name().version()));
        for (String target : split.shares().keySet()) {
            if (!versions.containsKey(target)) {
                throw PetrichorException.invalid(
                        "the traffic split of {service} names the version '{version}', which the"
                                + " service does not have",
                        "service",
                        service,
                        "version",
                        target);
            }
        }
    }

    /**
     * @param bucket 0 to {@link TrafficSplit#BUCKETS} - 1
     */
    public VersionRoutes version(int bucket) {
        VersionRoutes version = versions.get(split.version(bucket));
        if (version == null) {
            throw new IllegalStateException("the constructor checks the versions of the split");
        }
        return version;
    }
}
