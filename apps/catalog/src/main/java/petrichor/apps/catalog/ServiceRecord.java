package petrichor.apps.catalog;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A service of an app.
 *
 * @param versions by name, in the order of their names
 * @param traffic empty before the first version is promoted
 * @param former splits for a rollback, the newest one last
 */
public record ServiceRecord(
        String name,
        Map<String, VersionRecord> versions,
        Optional<Traffic> traffic,
        List<Traffic> former) {
    /** App Engine's limit for apps that pay. */
    public static final int VERSIONS_MAX = 210;

    public static final int FORMER_MAX = 20;

    public ServiceRecord {
        Names.requireService(name);
        versions = Collections.unmodifiableMap(new TreeMap<>(versions));
        former = List.copyOf(former);
        if (versions.size() > VERSIONS_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the service {service} has {versionsMax} versions already; delete one",
                    "service",
                    name,
                    "versionsMax",
                    VERSIONS_MAX);
        }
        for (Traffic split : traffic.stream().toList()) {
            for (String version : split.shares().keySet()) {
                if (!versions.containsKey(version)) {
                    throw unknown(name, version);
                }
            }
        }
    }

    static ServiceRecord empty(String name) {
        return new ServiceRecord(name, Map.of(), Optional.empty(), List.of());
    }

    static PetrichorException unknown(String service, String version) {
        return PetrichorException.of(
                ErrorCode.NOT_FOUND,
                "the service {service} has no version {version}",
                "service",
                service,
                "version",
                version);
    }

    public VersionRecord version(String version) {
        VersionRecord found = versions.get(version);
        if (found == null) {
            throw unknown(name, version);
        }
        return found;
    }

    /** Whether requests reach the version. */
    public boolean hasTraffic(String version) {
        return traffic.map(split -> split.shares().containsKey(version)).orElse(false);
    }

    ServiceRecord with(VersionRecord version) {
        Map<String, VersionRecord> all = new TreeMap<>(versions);
        all.put(version.name(), version);
        return new ServiceRecord(name, all, traffic, former);
    }

    ServiceRecord without(String version) {
        version(version);
        if (hasTraffic(version)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the version {version} gets requests; promote another version of {service}"
                            + " first",
                    "version",
                    version,
                    "service",
                    name);
        }
        Map<String, VersionRecord> rest = new TreeMap<>(versions);
        rest.remove(version);
        return new ServiceRecord(name, rest, traffic, former);
    }

    ServiceRecord with(Traffic split) {
        if (traffic.equals(Optional.of(split))) {
            return this;
        }
        List<Traffic> all = new ArrayList<>(former);
        traffic.ifPresent(all::add);
        int dropped = Math.max(0, all.size() - FORMER_MAX);
        return new ServiceRecord(
                name, versions, Optional.of(split), all.subList(dropped, all.size()));
    }

    /** The newest former split whose versions still exist. */
    ServiceRecord rolledBack() {
        for (int i = former.size() - 1; i >= 0; i--) {
            Traffic split = former.get(i);
            if (versions.keySet().containsAll(split.shares().keySet())) {
                return new ServiceRecord(name, versions, Optional.of(split), former.subList(0, i));
            }
        }
        throw PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "the service {service} has no former version to which it could return",
                "service",
                name);
    }
}
