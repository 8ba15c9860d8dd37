package petrichor.apps.instances;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * Stands for another machine: a network of the kernel that a cable connects to this one. Cable and
 * addresses disappear with its process.
 */
final class OtherMachine implements AutoCloseable {
    /** Connects to the addresses that it reads, and says how that ended. */
    private static final String PROGRAM =
            """
            import socket, sys, threading

            server = socket.create_server((sys.argv[1], 0))
            print(server.getsockname()[1], flush=True)

            def serve():
                while True:
                    server.accept()[0].close()

            threading.Thread(target=serve, daemon=True).start()
            for line in sys.stdin:
                host, port = line.split()
                try:
                    socket.create_connection((host, int(port)), 3).close()
                    print("reached", flush=True)
                except OSError as e:
                    print(type(e).__name__, flush=True)
            """;

    private static final String SCRIPT =
            """
            echo $$ && read -r _ && ip link set lo up \
            && ip address add "$1/30" dev "$2" && ip link set "$2" up \
            && exec /usr/bin/python3 -c "$3" "$1"
            """;

    private final Process process;
    private final BufferedReader output;
    private final Writer input;
    final String here;
    final String there;
    final int port;

    OtherMachine() throws IOException, InterruptedException {
        Assumptions.assumeTrue(run("ip", "link", "show") == 0, "this needs ip of iproute2");
        int number = ThreadLocalRandom.current().nextInt(1 << 14);
        // Addresses for tests of networks.
        String prefix = "198." + (18 + number % 2) + "." + (number >> 1 & 0xFF) + ".";
        int host = 4 * (number >> 9);
        here = prefix + (host + 1);
        there = prefix + (host + 2);
        String name = "ptr" + Integer.toHexString(number);
        process =
                new ProcessBuilder(
                                "unshare",
                                "-n",
                                "sh",
                                "-c",
                                SCRIPT,
                                "sh",
                                there,
                                name + "b",
                                PROGRAM)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        output = process.inputReader();
        input = process.outputWriter();
        String pid = output.readLine();
        must(
                "ip",
                "link",
                "add",
                name + "a",
                "type",
                "veth",
                "peer",
                "name",
                name + "b",
                "netns",
                pid);
        must("ip", "address", "add", here + "/30", "dev", name + "a");
        must("ip", "link", "set", name + "a", "up");
        say("go");
        port = Integer.parseInt(output.readLine());
    }

    private static void must(String... command) throws IOException, InterruptedException {
        assertThat(run(command)).as(String.join(" ", command)).isZero();
    }

    private static int run(String... command) throws IOException, InterruptedException {
        Process started;
        try {
            started =
                    new ProcessBuilder(command)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
        } catch (IOException notInstalled) {
            return -1;
        }
        assertThat(started.waitFor(TestHost.WAIT_MAX.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return started.exitValue();
    }

    private void say(String line) throws IOException {
        input.write(line + "\n");
        input.flush();
    }

    /** Connects to a port of this machine: "reached", or the name of the error. */
    String connect(int to) throws IOException {
        say(here + " " + to);
        return output.readLine();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().orTimeout(TestHost.WAIT_MAX.toSeconds(), TimeUnit.SECONDS).join();
    }
}
