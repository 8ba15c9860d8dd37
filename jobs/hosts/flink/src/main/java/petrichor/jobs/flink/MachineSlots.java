package petrichor.jobs.flink;

import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.resources.ExternalResource;
import org.apache.flink.runtime.clusterframework.types.ResourceProfile;
import petrichor.cloud.InstanceType;

/**
 * Represents machine types as Flink resources: each type is an external resource, of which a
 * machine has one unit per core and a slot takes one. A request for a slot with that resource can
 * only be met by a machine of this type.
 */
final class MachineSlots {
    private static final String PREFIX = "machine-";

    private MachineSlots() {}

    /** The profile of a slot on a machine of this type. */
    static ResourceProfile on(String type) {
        return ResourceProfile.newBuilder()
                .setCpuCores(1)
                .setExtendedResource(new ExternalResource(PREFIX + type, 1))
                .build();
    }

    /** The resource of all slots of a machine together. */
    static ExternalResource all(InstanceType type) {
        return new ExternalResource(PREFIX + type.name(), type.cores());
    }

    /** The type, if the profile names one. */
    static Optional<String> type(ResourceProfile slotOrMachine) {
        return slotOrMachine.equals(ResourceProfile.UNKNOWN)
                ? Optional.empty()
                : type(slotOrMachine.getExtendedResources());
    }

    static Optional<String> type(Map<String, ExternalResource> resources) {
        return resources.keySet().stream()
                .filter(name -> name.startsWith(PREFIX))
                .map(name -> name.substring(PREFIX.length()))
                .findFirst();
    }
}
