package petrichor.apps.hosting;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import petrichor.apps.hosting.cluster.ClusterPlan;
import petrichor.apps.hosting.cluster.VersionReading;
import petrichor.apps.router.Backend;
import petrichor.apps.router.Backends;
import petrichor.apps.scaling.Decision;
import petrichor.apps.scaling.LoadObservation;

/**
 * A fleet's part in the plan of the cluster. Thread-safe; does not block.
 *
 * @param plan of all servers
 */
record ClusterFleet(ClusterPlan plan, ClusterPlan.Needs needs) {
    /**
     * What this server should do.
     *
     * @param failing whether instances do not start here
     */
    ClusterPlan.Share next(
            List<VersionReading.Running> instances,
            LoadObservation load,
            boolean failing,
            Function<LoadObservation, Decision> decide) {
        VersionReading reading =
                new VersionReading(
                        needs.key(),
                        instances,
                        new VersionReading.Demand(
                                load.pending().requests(),
                                load.pending().latency().toMillis(),
                                load.backlog()),
                        failing,
                        null);
        return plan.next(new ClusterPlan.Own(needs, reading, load), decide);
    }

    /**
     * The server that should answer instead of this one.
     *
     * @param instances of this server
     */
    Optional<Backend> elsewhere(Backends.Wanted wanted, int instances) {
        return switch (wanted.reach()) {
            case CLUSTER -> plan.elsewhere(needs, wanted, instances);
            case SERVER -> Optional.empty();
        };
    }

    boolean runsElsewhere() {
        return plan.runsElsewhere(needs.key());
    }
}
