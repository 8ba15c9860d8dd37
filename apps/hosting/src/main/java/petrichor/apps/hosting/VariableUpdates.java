package petrichor.apps.hosting;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import petrichor.apps.catalog.AppCatalog;
import petrichor.apps.catalog.AppConfiguration;
import petrichor.apps.catalog.AppVariables;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Changes variables of apps. The instances are replaced: those of versions with requests by ones
 * that are ready. If one of them does not start, nothing changes. Thread-safe.
 */
final class VariableUpdates {
    private static final int ATTEMPTS_MAX = 3;

    private final AppCatalog catalog;
    private final RunningVersions running;
    private final VersionFleets versions;
    private final Fleets fleets;
    private final SecretBox secrets;

    VariableUpdates(
            AppCatalog catalog,
            RunningVersions running,
            VersionFleets versions,
            Fleets fleets,
            SecretBox secrets) {
        this.catalog = catalog;
        this.running = running;
        this.versions = versions;
        this.fleets = fleets;
        this.secrets = secrets;
    }

    /** Empty if the variables have changed. */
    Optional<DeployResult.Failed> change(
            String app, VariableChange change, Consumer<DeployEvent> progress) {
        for (int attempt = 1; ; attempt++) {
            AppConfiguration before = running.configuration(app);
            try {
                return change(app, change, before, progress);
            } catch (PetrichorException changed) {
                // This server may just have followed an earlier change.
                if (changed.code() != ErrorCode.ABORTED
                        || attempt >= ATTEMPTS_MAX
                        || !running.configuration(app).equals(before)) {
                    throw changed;
                }
            }
        }
    }

    private Optional<DeployResult.Failed> change(
            String app,
            VariableChange change,
            AppConfiguration before,
            Consumer<DeployEvent> progress) {
        List<Fleet> made = new ArrayList<>();
        try {
            AppVariables after = change.applied(app, before.variables(), secrets);
            Set<Fleet> former = fleets.of(app);
            for (Fleet each : former) {
                HostedVersion version = running.find(each.plan().version());
                if (version != null) {
                    Fleet next = versions.fleet(version, after);
                    made.add(next);
                    Optional<DeployResult.Failed> failed = startedFirst(version, next, progress);
                    if (failed.isPresent()) {
                        return failed;
                    }
                }
            }
            running.changed(
                    () -> {
                        if (!fleets.of(app).equals(former)) {
                            throw Hosting.changedMeanwhile();
                        }
                        var _ = catalog.configure(app, known -> changed(known, before, after));
                        made.forEach(fleets::put);
                        made.clear();
                        return after;
                    });
            for (Fleet fleet : former) {
                var _ = fleets.retire(fleet, "the app's variables changed");
            }
            return Optional.empty();
        } finally {
            for (Fleet fleet : made) {
                var _ = fleet.close("the app's variables did not change");
            }
        }
    }

    /** Also another server may have changed it. */
    private static AppConfiguration changed(
            AppConfiguration known, AppConfiguration before, AppVariables after) {
        if (!known.equals(before)) {
            throw Hosting.changedMeanwhile();
        }
        return known.withVariables(after);
    }

    /** Starts the first instance of a version that gets requests. */
    private Optional<DeployResult.Failed> startedFirst(
            HostedVersion version, Fleet fleet, Consumer<DeployEvent> progress) {
        if (!catalog.getsRequests(
                version.name().app(), version.name().service(), version.record())) {
            return Optional.empty();
        }
        progress.accept(new DeployEvent.Starting(version.name()));
        return versions.startFirst(fleet);
    }
}
