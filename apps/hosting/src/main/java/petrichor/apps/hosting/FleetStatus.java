package petrichor.apps.hosting;

import java.util.List;
import java.util.Optional;
import petrichor.apps.instances.InstanceState;
import petrichor.apps.instances.InstanceUsage;
import petrichor.apps.router.table.VersionName;

/**
 * The instances of a version, for operators.
 *
 * @param waiting requests that wait for an instance
 * @param explanation why there are so many instances; empty before the first decision
 * @param failure why the last instance failed; empty if none did
 */
public record FleetStatus(
        VersionName version,
        List<Member> members,
        int waiting,
        String explanation,
        Optional<String> failure) {
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
