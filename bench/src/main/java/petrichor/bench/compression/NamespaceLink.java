package petrichor.bench.compression;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import petrichor.bench.SystemCommand;

/**
 * Two network namespaces, joined by a pair of virtual interfaces; the kernel's token bucket filter
 * shapes the sender's traffic. Needs root. The namespaces are removed on close.
 */
final class NamespaceLink implements ShapedLink {
    /** Documentation addresses (RFC 5737): never used elsewhere. */
    private static final String SENDER = "192.0.2.1";

    private static final String RECEIVER = "192.0.2.2";

    /** Queue of the shaper: larger than TCP's data in flight, so that nothing is dropped. */
    private static final int QUEUE_BYTES = 1 << 20;

    private static final int BURST_BYTES_MIN = 16 << 10;

    /** A burst of about two milliseconds: the timer's resolution. */
    private static final int BURSTS_PER_SECOND = 500;

    private final String sender;
    private final String receiver;

    private NamespaceLink(String name) {
        sender = name + "-s";
        receiver = name + "-r";
    }

    /** Whether this process may create namespaces. */
    static boolean possible() {
        try {
            String probe = "pcha" + ProcessHandle.current().pid() + "-p";
            SystemCommand.run("ip", "netns", "add", probe);
            SystemCommand.run("ip", "netns", "delete", probe);
            SystemCommand.run("tc", "-V");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    static NamespaceLink open() throws IOException {
        NamespaceLink link = new NamespaceLink("pcha" + ProcessHandle.current().pid());
        try {
            link.make();
            return link;
        } catch (IOException e) {
            link.close();
            throw e;
        }
    }

    private void make() throws IOException {
        SystemCommand.run("ip", "netns", "add", sender);
        SystemCommand.run("ip", "netns", "add", receiver);
        SystemCommand.run(
                "ip", "link", "add", "pcha0", "netns", sender, "type", "veth", "peer", "name",
                "pcha0", "netns", receiver);
        bring(sender, SENDER);
        bring(receiver, RECEIVER);
        inside(
                sender,
                "tc",
                "qdisc",
                "add",
                "dev",
                "pcha0",
                "root",
                "tbf",
                "rate",
                "1gbit",
                "burst",
                "256k",
                "limit",
                Integer.toString(QUEUE_BYTES));
    }

    private static void bring(String namespace, String address) throws IOException {
        inside(namespace, "ip", "address", "add", address + "/30", "dev", "pcha0");
        inside(namespace, "ip", "link", "set", "pcha0", "up");
        inside(namespace, "ip", "link", "set", "lo", "up");
    }

    @Override
    public void rate(int megabits) throws IOException {
        int burst = Math.max(BURST_BYTES_MIN, megabits * 125_000 / BURSTS_PER_SECOND);
        inside(
                sender,
                "tc",
                "qdisc",
                "change",
                "dev",
                "pcha0",
                "root",
                "tbf",
                "rate",
                megabits + "mbit",
                "burst",
                Integer.toString(burst),
                "limit",
                Integer.toString(QUEUE_BYTES));
    }

    @Override
    public String how() {
        return "tbf between two network namespaces";
    }

    @Override
    public List<String> senderPrefix() {
        return List.of("ip", "netns", "exec", sender);
    }

    @Override
    public List<String> receiverPrefix() {
        return List.of("ip", "netns", "exec", receiver);
    }

    @Override
    public String senderAddress() {
        return SENDER;
    }

    @Override
    public String receiverAddress() {
        return RECEIVER;
    }

    @Override
    public int portTowards(int receiverPort) {
        return receiverPort;
    }

    private static void inside(String namespace, String... command) throws IOException {
        List<String> whole = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        whole.addAll(Arrays.asList(command));
        SystemCommand.run(whole.toArray(new String[0]));
    }

    @Override
    public void close() {
        for (String namespace : List.of(sender, receiver)) {
            try {
                SystemCommand.run("ip", "netns", "delete", namespace);
            } catch (IOException e) {
                System.err.println("note: namespace " + namespace + " is left: " + e.getMessage());
            }
        }
    }
}
