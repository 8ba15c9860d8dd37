package petrichor.apps.hosting;

import java.util.function.Function;
import java.util.function.IntSupplier;
import petrichor.apps.instances.InstanceSpec;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.scaling.ScalingPolicy;

/**
 * What a fleet runs.
 *
 * @param spec of an instance, by its id
 * @param backlog tasks of queues that are due and wait for this version
 */
record FleetPlan(
        VersionName version,
        ScalingPolicy policy,
        Function<String, InstanceSpec> spec,
        IntSupplier backlog) {}
