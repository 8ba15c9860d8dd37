package petrichor.apps.hosting;

import petrichor.apps.builds.BuildResult;
import petrichor.apps.builds.Sources;
import petrichor.apps.catalog.VersionRecord;
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
        VersionRoutes routes) {}
