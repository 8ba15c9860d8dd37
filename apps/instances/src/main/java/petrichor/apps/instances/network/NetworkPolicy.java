package petrichor.apps.instances.network;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import petrichor.base.PetrichorException;

/**
 * What the sockets of one instance may reach on this machine. All of the rest of the network is
 * allowed.
 *
 * @param port of the instance
 * @param services of this machine that it may use: the platform's API, name servers
 * @param machine addresses of this machine, except for those of the loopback interface
 */
public record NetworkPolicy(int port, List<InetSocketAddress> services, List<InetAddress> machine) {
    /** Each is a few instructions of a program. */
    static final int SERVICES_MAX = 32;

    /** As many as the resolver of glibc reads. */
    static final int NAME_SERVERS_MAX = 3;

    /** Attempts to reach an address beyond this number are dropped instead of refused. */
    static final int MACHINE_ADDRESSES_MAX = 64;

    private static final int PORT_MAX = 0xFFFF;

    public NetworkPolicy {
        services = List.copyOf(services);
        machine = machine.stream().distinct().limit(MACHINE_ADDRESSES_MAX).toList();
        if (port < 1 || port > PORT_MAX) {
            throw PetrichorException.invalid(
                    "{port} is not a port; use 1 to {portMax}", "port", port, "portMax", PORT_MAX);
        }
        if (services.size() > SERVICES_MAX
                || services.stream().anyMatch(InetSocketAddress::isUnresolved)) {
            throw PetrichorException.invalid(
                    "an instance may use up to {servicesMax} services of this machine, each with an"
                            + " IP address",
                    "servicesMax",
                    SERVICES_MAX);
        }
    }

    /**
     * Distinguishes sockets of this instance from all others of the machine: the priority of a
     * socket, of which a process without privileges can only choose 0 to 6. The lowest four bits,
     * which select a band of a queue, are those of an ordinary socket; the highest are no handle of
     * a queue that the kernel assigns.
     */
    int tag() {
        return 0x7050_0000 | port << 4;
    }

    List<InetSocketAddress> services(boolean v4) {
        return services.stream()
                .filter(each -> each.getAddress() instanceof Inet4Address == v4)
                .toList();
    }

    List<InetAddress> machine(boolean v4) {
        return machine.stream().filter(each -> each instanceof Inet4Address == v4).toList();
    }
}
