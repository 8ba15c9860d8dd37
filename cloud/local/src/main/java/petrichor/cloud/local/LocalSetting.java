package petrichor.cloud.local;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import petrichor.cloud.Billing;
import petrichor.cloud.InstanceType;

/**
 * Settings of a local cloud.
 *
 * @param folder of the machines; opening the same folder finds them again
 * @param types instance types into which this host is divided, with nominal prices
 * @param command returns the program of a machine of a type, such as a worker with the type's
 *     memory as its heap. It runs in the machine's folder, and may write its network address to a
 *     file {@code address} and heartbeats to {@link LocalCloud#ALIVE}
 * @param instancesMax maximum number of running machines
 * @param billing unit in which machines are billed
 * @param spot prices of spot machines, if any are offered
 */
public record LocalSetting(
        Path folder,
        List<InstanceType> types,
        Function<InstanceType, List<String>> command,
        int instancesMax,
        Billing billing,
        SpotPrices spot) {
    public LocalSetting {
        types = List.copyOf(types);
        folder = folder.toAbsolutePath().normalize();
        if (instancesMax < 1) {
            throw new IllegalArgumentException("the maximum number of machines must be positive");
        }
    }

    /** Without spot machines. */
    public LocalSetting(
            Path folder,
            List<InstanceType> types,
            Function<InstanceType, List<String>> command,
            int instancesMax,
            Billing billing) {
        this(folder, types, command, instancesMax, billing, SpotPrices.NONE);
    }

    /** Billed by the second. */
    public LocalSetting(
            Path folder,
            List<InstanceType> types,
            Function<InstanceType, List<String>> command,
            int instancesMax) {
        this(folder, types, command, instancesMax, Billing.PER_SECOND);
    }
}
