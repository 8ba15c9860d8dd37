package petrichor.apps.hosting;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import petrichor.apps.hosting.cluster.ClusterPlan;
import petrichor.apps.instances.InstanceState;
import petrichor.apps.instances.InstanceUsage;
import petrichor.apps.router.table.VersionName;

/**
 * The instances of a version, for operators.
 *
 * @param waiting requests that wait for an instance
 * @param explanation why there are so many instances; empty before the first decision
 * @param failure why the last instance failed; empty if none did
 * @param elsewhere the version on the other servers
 */
public record FleetStatus(
        VersionName version,
        List<Member> members,
        int waiting,
        String explanation,
        Optional<String> failure,
        Elsewhere elsewhere) {
    /**
     * The version on the other servers of the cluster.
     *
     * @param self address of this server; empty for a standalone server
     * @param lead address of the server that decides; empty if it is this one
     * @param shares instances that each server should have, by its address
     * @param servers those that can run the version
     */
    public record Elsewhere(
            String self,
            String lead,
            Map<String, Integer> shares,
            List<ClusterPlan.There> servers) {
        static final Elsewhere NONE = new Elsewhere("", "", Map.of(), List.of());

        static Elsewhere of(Optional<ClusterFleet> cluster, String lead) {
            return cluster.map(
                            all ->
                                    new Elsewhere(
                                            all.plan().address(),
                                            lead,
                                            all.plan().shares(all.needs().key()),
                                            all.plan().there(all.needs().key())))
                    .orElse(NONE);
        }
    }

    /**
     * @param requests in progress
     * @param reason why it was started
     */
    public record Member(
            String id, InstanceState state, int requests, String reason, InstanceUsage usage) {}

    public FleetStatus {
        members = List.copyOf(members);
    }
}
