package petrichor.cloud.local;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import petrichor.cloud.Billing;
import petrichor.cloud.InstanceType;

/**
 * What a local cloud offers.
 *
 * @param folder of the machines; the same one finds them again
 * @param types what this computer is divided into; prices are what they are said to be
 * @param command the program of a machine of a type, such as a worker with the type's memory as its
 *     heap; it runs in the machine's folder, and may write where it is reached into a file {@code
 *     address} and give signs of life into {@link LocalCloud#ALIVE}
 * @param instancesMax how many run at once
 * @param billing by what time machines are counted
 * @param spot what spot machines cost, if there are any
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
