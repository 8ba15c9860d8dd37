package petrichor.bench.tuning;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import petrichor.bench.SystemCommand;

/**
 * A network namespace whose loopback interface is shaped by the kernel's token bucket filter:
 * processes in it communicate as if they were on machines behind one link. Needs root. The
 * namespace is removed on close.
 */
final class SlowLoopback implements AutoCloseable {
    /** As on Ethernet; the loopback's own MTU of 64 kB is larger than a burst. */
    private static final String MTU = "1500";

    private static final String BURST = "32k";

    /** Queue of the shaper: larger than TCP's data in flight, so that nothing is dropped. */
    private static final String QUEUE = "4m";

    private final String name = "pchn" + ProcessHandle.current().pid();

    private SlowLoopback() {}

    static SlowLoopback open(int megabits) throws IOException {
        SlowLoopback loopback = new SlowLoopback();
        SystemCommand.run("ip", "netns", "add", loopback.name);
        try {
            loopback.inside("ip", "link", "set", "lo", "mtu", MTU, "up");
            loopback.inside(
                    "tc",
                    "qdisc",
                    "add",
                    "dev",
                    "lo",
                    "root",
                    "tbf",
                    "rate",
                    megabits + "mbit",
                    "burst",
                    BURST,
                    "limit",
                    QUEUE);
            return loopback;
        } catch (IOException e) {
            loopback.close();
            throw e;
        }
    }

    /** The prefix of a command that runs in it. */
    List<String> prefix() {
        return List.of("ip", "netns", "exec", name);
    }

    private void inside(String... command) throws IOException {
        List<String> whole = new ArrayList<>(prefix());
        whole.addAll(List.of(command));
        SystemCommand.run(whole.toArray(new String[0]));
    }

    @Override
    public void close() throws IOException {
        SystemCommand.run("ip", "netns", "delete", name);
    }
}
