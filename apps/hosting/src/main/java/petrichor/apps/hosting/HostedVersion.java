package petrichor.apps.hosting;

import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import petrichor.apps.builds.BuildResult;
import petrichor.apps.builds.Sources;
import petrichor.apps.catalog.VersionRecord;
import petrichor.apps.manifest.InboundService;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.router.table.VersionRoutes;

/**
 * A version that this server can run.
 *
 * @param record of the catalog; another one with the same name is another version
 */
record HostedVersion(
        VersionName name,
        VersionRecord record,
        Sources sources,
        AppManifest manifest,
        BuildResult.Built built,
        VersionRoutes routes) {
    /** Whether it is what was deployed, apart from whether it may have instances. */
    boolean isDeploymentOf(VersionRecord other) {
        return record.sources().equals(other.sources()) && record.origin().equals(other.origin());
    }

    /** Hashes of builds and sources. */
    static Set<String> hashes(Collection<HostedVersion> versions) {
        return versions.stream()
                .flatMap(one -> Stream.of(one.built().contentHash(), one.sources().hash()))
                .collect(Collectors.toSet());
    }

    /** The apps of versions with one of these inbound services. */
    static Set<String> receiving(Collection<HostedVersion> versions, Set<InboundService> services) {
        return versions.stream()
                .filter(one -> !Collections.disjoint(one.inboundServices(), services))
                .map(one -> one.name().app())
                .collect(Collectors.toSet());
    }

    private Set<InboundService> inboundServices() {
        return manifest.yaml().routes().inboundServices();
    }
}
