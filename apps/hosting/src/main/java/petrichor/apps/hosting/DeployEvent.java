package petrichor.apps.hosting;

import petrichor.apps.builds.BuildEvent;
import petrichor.apps.manifest.ManifestWarning;
import petrichor.apps.router.table.VersionName;

/** Progress of a deployment. */
public sealed interface DeployEvent {
    /** The sources are stored and their app.yaml is valid. */
    record Accepted(VersionName version, String sources, int files, long bytes)
            implements DeployEvent {}

    record Warning(ManifestWarning warning) implements DeployEvent {}

    record Building(BuildEvent event) implements DeployEvent {}

    /** An instance starts; requests reach the version when it is ready. */
    record Starting(VersionName version) implements DeployEvent {}

    /** The deployment has applied one of the app's files. */
    record Applied(AppliedFile file) implements DeployEvent {}
}
