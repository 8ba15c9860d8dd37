package petrichor.apps.hosting;

import java.time.Duration;
import java.util.Optional;
import petrichor.apps.catalog.AppRecord;
import petrichor.apps.router.table.VersionName;

/** Outcome of a deployment. */
public sealed interface DeployResult {
    /**
     * An instance of the version is ready, and the router knows the version.
     *
     * @param app after the deployment
     * @param cached whether the build of the same sources existed
     */
    record Deployed(VersionName version, AppRecord app, boolean cached, Duration duration)
            implements DeployResult {}

    /** The files of the app are applied; there is no new version. */
    record Configured(String app, Duration duration) implements DeployResult {}

    /**
     * Nothing has changed: the former version, if there is one, serves as before.
     *
     * @param step such as build
     * @param reason one line
     * @param details the end of the log, or empty
     */
    record Failed(String step, String reason, Optional<String> details) implements DeployResult {}
}
