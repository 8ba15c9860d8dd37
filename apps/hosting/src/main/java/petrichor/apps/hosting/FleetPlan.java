package petrichor.apps.hosting;

import java.util.function.Function;
import java.util.function.IntSupplier;
import petrichor.apps.catalog.AppVariables;
import petrichor.apps.instances.InstanceSpec;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.scaling.ScalingPolicy;

/**
 * What a fleet runs.
 *
 * @param variables of the app, which its instances have
 * @param spec of an instance, by its id
 * @param backlog tasks of queues that are due and wait for this version
 * @param quotas that the instances of all versions of its app share
 */
record FleetPlan(
        VersionName version,
        ScalingPolicy policy,
        AppVariables variables,
        Function<String, InstanceSpec> spec,
        IntSupplier backlog,
        InstanceQuotas quotas) {}
