package petrichor.apps.hosting;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntSupplier;
import petrichor.apps.catalog.AppVariables;
import petrichor.apps.hosting.cluster.ClusterPlan;
import petrichor.apps.hosting.cluster.VersionReading;
import petrichor.apps.instances.InstanceSpec;
import petrichor.apps.router.Backend;
import petrichor.apps.router.Backends;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.scaling.Decision;
import petrichor.apps.scaling.LoadObservation;
import petrichor.apps.scaling.ScalingPolicy;

/**
 * What a fleet runs.
 *
 * @param variables of the app, which its instances have
 * @param spec of an instance, by its id
 * @param backlog tasks of queues that are due and wait for this version
 * @param quotas that the instances of all versions of its app share
 * @param cluster its part in the plan of the cluster; empty for a standalone server
 */
record FleetPlan(
        VersionName version,
        ScalingPolicy policy,
        AppVariables variables,
        Function<String, InstanceSpec> spec,
        IntSupplier backlog,
        InstanceQuotas quotas,
        Optional<ClusterFleet> cluster) {
    /** Of a standalone server. */
    FleetPlan(
            VersionName version,
            ScalingPolicy policy,
            AppVariables variables,
            Function<String, InstanceSpec> spec,
            IntSupplier backlog,
            InstanceQuotas quotas) {
        this(version, policy, variables, spec, backlog, quotas, Optional.empty());
    }

    /** What this server should do; a standalone server does what the scaling wants. */
    ClusterPlan.Share share(
            List<VersionReading.Running> running,
            LoadObservation load,
            boolean failing,
            Function<LoadObservation, Decision> decide) {
        if (cluster.isPresent()) {
            return cluster.get().next(running, load, failing, decide);
        }
        Decision decision = decide.apply(load);
        return new ClusterPlan.Share(decision.instances(), decision, "");
    }

    /**
     * The server that should answer instead of this one.
     *
     * @param instances of this server
     */
    Optional<Backend> elsewhere(Backends.Wanted wanted, int instances) {
        return cluster.flatMap(all -> all.elsewhere(wanted, instances));
    }

    /**
     * Whether requests need not start an instance here.
     *
     * @param instances of this server
     */
    boolean startsElsewhere(int instances) {
        return instances == 0 && cluster.filter(ClusterFleet::runsElsewhere).isPresent();
    }

    /** Why instances stop if so many are left. */
    static String leaveReason(Decision decision, int left) {
        return decision.instances() > left
                ? "other servers run the instances"
                : decision.reason().text();
    }

    /** Whether a request that another server has forwarded should go elsewhere. */
    boolean refuses(Backends.Wanted wanted, int instances) {
        return wanted.reach() == Backends.Reach.SERVER && startsElsewhere(instances);
    }

    /** Ends the use of another server; false if it is an instance of this one. */
    boolean released(Backend backend, Backends.Use use) {
        if (backend.gate().isEmpty()) {
            return false;
        }
        cluster.ifPresent(all -> all.plan().release(backend, use));
        return true;
    }
}
