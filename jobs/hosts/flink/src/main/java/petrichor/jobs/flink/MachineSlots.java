package petrichor.jobs.flink;

import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.resources.ExternalResource;
import org.apache.flink.runtime.clusterframework.types.ResourceProfile;
import petrichor.cloud.InstanceType;

/**
 * Types of machines as Flink understands them: each has a resource of its own, of which a machine
 * has as much as it has cores and a slot takes one. Who asks for a slot with that resource gets it
 * on a machine of this type and on no other.
 */
final class MachineSlots {
    private static final String PREFIX = "machine-";

    private MachineSlots() {}

    /** A slot on a machine of a type. */
    static ResourceProfile on(String type) {
        return ResourceProfile.newBuilder()
                .setCpuCores(1)
                .setExtendedResource(new ExternalResource(PREFIX + type, 1))
                .build();
    }

    /** What all slots of a machine have together. */
    static ExternalResource all(InstanceType type) {
        return new ExternalResource(PREFIX + type.name(), type.cores());
    }

    /** The type, if one was named. */
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
