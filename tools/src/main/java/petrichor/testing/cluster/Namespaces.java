package petrichor.testing.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.deployment.Host;

/**
 * A network of Linux network namespaces: each host is a namespace connected to a common bridge, and
 * this process uses the bridge. Needs root and iproute2. A cut is a blackhole route at both ends:
 * packets are dropped silently, as when a cable breaks.
 */
final class Namespaces implements Network {
    private static final int SUBNETS = 200;

    private final String prefix;
    private final int subnet;
    private final Map<String, String> addresses = new LinkedHashMap<>();
    private final List<String[]> cuts = new ArrayList<>();
    private boolean closed;

    private Namespaces(String prefix, int subnet) {
        this.prefix = prefix;
        this.subnet = subnet;
    }

    /** Whether this user may create namespaces on this machine. */
    static boolean possible() {
        return "root".equals(System.getProperty("user.name"))
                && Commands.succeeds(List.of("ip", "netns", "list"))
                && Commands.succeeds(List.of("ip", "link", "show", "lo"));
    }

    /** FAILED_PRECONDITION if namespaces cannot be created. */
    static Namespaces open() {
        long pid = ProcessHandle.current().pid();
        int first = (int) (pid % SUBNETS);
        for (int tried = 0; tried < SUBNETS; tried++) {
            int subnet = (first + tried) % SUBNETS;
            // Interface names have at most 15 characters.
            Namespaces network = new Namespaces("plab" + subnet, subnet);
            if (Commands.succeeds(List.of("ip", "link", "add", network.prefix, "type", "bridge"))) {
                network.raise();
                return network;
            }
        }
        throw new PetrichorException(
                ErrorCode.FAILED_PRECONDITION,
                "the network bridge cannot be created; the laboratory needs root for its network;"
                        + " without root, use --loopback");
    }

    private void raise() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
        Commands.run(List.of("ip", "addr", "add", address(254) + "/24", "dev", prefix));
        Commands.run(List.of("ip", "link", "set", prefix, "up"));
    }

    private String address(int host) {
        return "10.77." + subnet + "." + host;
    }

    private String namespace(String host) {
        return prefix + "-" + host;
    }

    @Override
    public String host(String name) {
        String known = addresses.get(name);
        if (known != null) {
            return known;
        }
        int number = addresses.size() + 1;
        String address = address(number);
        String cable = prefix + "h" + number;
        String plug = prefix + "p" + number;
        String space = namespace(name);
        Commands.run(List.of("ip", "netns", "add", space));
        addresses.put(name, address);
        Commands.run(List.of("ip", "link", "add", cable, "type", "veth", "peer", "name", plug));
        Commands.run(List.of("ip", "link", "set", cable, "master", prefix));
        Commands.run(List.of("ip", "link", "set", cable, "up"));
        Commands.run(List.of("ip", "link", "set", plug, "netns", space));
        Commands.run(List.of("ip", "-n", space, "addr", "add", address + "/24", "dev", plug));
        Commands.run(List.of("ip", "-n", space, "link", "set", plug, "up"));
        Commands.run(List.of("ip", "-n", space, "link", "set", "lo", "up"));
        return address;
    }

    @Override
    public List<String> on(String name, List<String> command) {
        List<String> whole = new ArrayList<>(List.of("ip", "netns", "exec", namespace(name)));
        whole.addAll(command);
        return whole;
    }

    @Override
    public Host asHost(String name) {
        return new Host.Namespace(namespace(name), host(name));
    }

    /** Every namespace has its own address, reachable from all others. */
    @Override
    public String route(String from, String to, String address) {
        return address;
    }

    @Override
    public boolean cutsFromStore(String scheme) {
        return true;
    }

    @Override
    public boolean cutsWithinStore() {
        return true;
    }

    @Override
    public synchronized void cut(String one, String other) {
        blackHole("add", one, other);
        blackHole("add", other, one);
        cuts.add(new String[] {one, other});
    }

    @Override
    public synchronized void heal() {
        for (String[] cut : cuts) {
            blackHole("del", cut[0], cut[1]);
            blackHole("del", cut[1], cut[0]);
        }
        cuts.clear();
    }

    private void blackHole(String what, String from, String to) {
        Commands.run(
                List.of("ip", "-n", namespace(from), "route", what, "blackhole", host(to) + "/32"));
    }

    /** Removes all namespaces; processes still running in them lose their network. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        for (String host : addresses.keySet()) {
            Commands.succeeds(List.of("ip", "netns", "del", namespace(host)));
        }
        Commands.succeeds(List.of("ip", "link", "del", prefix));
    }
}
