package petrichor.apps.instances;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import petrichor.base.PetrichorException;

/**
 * Settings of a host.
 *
 * @param folder belongs to the host; notes about running instances, and their temporary folders
 *     where these are not in memory
 * @param hidden folders that no instance may see, such as the data folder, except for the folders
 *     in {@link InstanceFiles}
 * @param services of this machine that instances may use: the platform's API and router; resolved
 * @param ports must be free, and outside the range from which the kernel takes ports of clients
 * @param users ids of users that own nothing; one per instance
 */
public record HostSettings(
        Path folder,
        List<Path> hidden,
        List<InetSocketAddress> services,
        NumberRange ports,
        NumberRange users,
        HostLimits limits) {
    /** Below the range of the kernel (32768 to 60999), and above the well-known ports. */
    private static final NumberRange PORTS = new NumberRange(20_000, 21_999);

    /** No distribution assigns these ids: containers of systemd end at 0x6FFFFFFF. */
    private static final NumberRange USERS = new NumberRange(0x7000_0000, 0x7000_0000 + 9_999);

    private static final int PORT_MAX = 65_535;

    public HostSettings {
        hidden = List.copyOf(hidden);
        services = List.copyOf(services);
        if (ports.last() > PORT_MAX) {
            throw PetrichorException.invalid(
                    "the ports of instances end at {last}; the highest port is {portMax}",
                    "last",
                    ports.last(),
                    "portMax",
                    PORT_MAX);
        }
        if (ports.size() < limits.instancesMax() || users.size() < limits.instancesMax()) {
            throw PetrichorException.invalid(
                    "{instancesMax} instances need as many ports and user ids; there are {ports}"
                            + " ports and {users} user ids",
                    "instancesMax",
                    limits.instancesMax(),
                    "ports",
                    ports.size(),
                    "users",
                    users.size());
        }
    }

    public static HostSettings of(Path folder, List<Path> hidden) {
        return new HostSettings(
                folder, hidden, List.of(), PORTS, USERS, HostLimits.ofThisMachine());
    }

    public HostSettings withLimits(HostLimits other) {
        return new HostSettings(folder, hidden, services, ports, users, other);
    }

    public HostSettings withServices(List<InetSocketAddress> other) {
        return new HostSettings(folder, hidden, other, ports, users, limits);
    }
}
