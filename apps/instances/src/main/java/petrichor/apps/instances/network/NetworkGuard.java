package petrichor.apps.instances.network;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Attaches the programs of a {@link NetworkPolicy} to a control group. They apply to every socket
 * that a process of the group opens afterwards, until the group is removed. Thread-safe.
 */
public final class NetworkGuard {
    private static final Path NAME_SERVERS = Path.of("/etc/resolv.conf");
    private static final String NAME_SERVER = "nameserver";
    private static final int NAME_PORT = 53;
    private static final int TRIAL_PORT = 1;

    private final KernelCalls kernel;

    private NetworkGuard(KernelCalls kernel) {
        this.kernel = kernel;
    }

    /**
     * Tries out all programs.
     *
     * @param group the folder of a group without processes, in the unified hierarchy
     * @throws IOException with the reason, if this kernel or user may not
     */
    public static NetworkGuard probe(Path group) throws IOException {
        NetworkGuard guard;
        try {
            guard = new NetworkGuard(KernelCalls.ofThisMachine());
        } catch (IllegalCallerException | IllegalStateException e) {
            throw new IOException("Java may not call the kernel", e);
        }
        guard.attach(group, guard.policy(TRIAL_PORT, List.of()));
        return guard;
    }

    /**
     * The policy of an instance on this machine as it is now.
     *
     * @param services of the platform; a name server of this machine is added
     */
    public NetworkPolicy policy(int port, List<InetSocketAddress> services) {
        List<InetSocketAddress> all = new ArrayList<>(services);
        List<InetAddress> machine = machine();
        for (InetAddress server : nameServers()) {
            if (server.isLoopbackAddress() || machine.contains(server)) {
                all.add(new InetSocketAddress(server, NAME_PORT));
            }
        }
        return new NetworkPolicy(port, all, machine);
    }

    private static List<InetAddress> machine() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLoopbackAddress())
                    .toList();
        } catch (SocketException unknown) {
            // Attempts are dropped instead of refused.
            return List.of();
        }
    }

    private static List<InetAddress> nameServers() {
        try {
            return Files.readAllLines(NAME_SERVERS).stream()
                    .map(line -> line.strip().split("\\s+"))
                    .filter(words -> words.length > 1 && words[0].equals(NAME_SERVER))
                    .flatMap(words -> literal(words[1]).stream())
                    .limit(NetworkPolicy.NAME_SERVERS_MAX)
                    .toList();
        } catch (IOException none) {
            return List.of();
        }
    }

    private static List<InetAddress> literal(String text) {
        try {
            return List.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException unusual) {
            return List.of();
        }
    }

    public void attach(Path group, NetworkPolicy policy) throws IOException {
        for (KernelCalls.Hook hook : KernelCalls.Hook.values()) {
            byte[] program =
                    switch (hook) {
                        case SOCKET -> SocketProgram.of(policy);
                        case CONNECT_V4, SEND_V4 -> AddressProgram.v4(policy);
                        case CONNECT_V6, SEND_V6 -> AddressProgram.v6(policy);
                        case PACKETS_ENTERING -> PacketProgram.entering(policy);
                        case PACKETS_LEAVING -> PacketProgram.leaving(policy);
                    };
            kernel.attach(group, hook, program);
        }
    }
}
