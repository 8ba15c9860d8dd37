package petrichor.deployment;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A machine on which nodes run. Everything on it is done through a shell, so that this machine and
 * a remote one differ only in how the shell is reached; {@link Shell} runs the scripts.
 */
public sealed interface Host {
    /** Its name in messages. */
    String name();

    /**
     * The address on which the node with this number (from 1) listens, and at which others reach
     * it.
     */
    String address(int node);

    /** The command line that runs a script in the host's {@code sh}. */
    List<String> command(String script);

    /** This machine; its nodes have different loopback addresses. */
    record ThisMachine() implements Host {
        private static final int NODES_MAX = 254;

        @Override
        public String name() {
            return "this machine";
        }

        @Override
        public String address(int node) {
            if (node < 1 || node > NODES_MAX) {
                throw PetrichorException.invalid(
                        "this machine has loopback addresses for 1 to "
                                + NODES_MAX
                                + " nodes, not for node {node}",
                        "node",
                        node);
            }
            return "127.0.0." + node;
        }

        @Override
        public List<String> command(String script) {
            return List.of("/bin/sh", "-c", script);
        }
    }

    /**
     * A network namespace of this machine, which acts as a separate machine on the network: for
     * test labs that cut cables. Needs root and iproute2.
     *
     * @param space the namespace's name, as {@code ip netns} knows it
     * @param ownAddress the only address on which its nodes listen
     */
    record Namespace(String space, String ownAddress) implements Host {
        @Override
        public String name() {
            return "namespace " + space;
        }

        @Override
        public String address(int node) {
            return ownAddress;
        }

        @Override
        public List<String> command(String script) {
            return List.of("ip", "netns", "exec", space, "/bin/sh", "-c", script);
        }
    }

    /**
     * A machine reached by ssh without a password: with a key that ssh finds by itself or that an
     * option names.
     *
     * @param destination a host's name or address, or a name from ssh's own configuration
     * @param options passed to ssh unchanged, such as {@code -p} and {@code 2222}
     */
    record OverSsh(String destination, Optional<String> user, List<String> options)
            implements Host {
        private static final List<String> ALWAYS =
                List.of("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10");

        public OverSsh {
            if (destination.isBlank() || destination.startsWith("-")) {
                throw PetrichorException.invalid(
                        "'{destination}' is not a valid host for ssh", "destination", destination);
            }
            options = List.copyOf(options);
        }

        @Override
        public String name() {
            return destination;
        }

        /**
         * The host's own address, resolved here: every node's configuration names the others by it.
         */
        @Override
        public String address(int node) {
            String known =
                    Shell.run(command(List.of("-G")), Shell.NO_INPUT, Shell.QUICK)
                            .required("ask ssh where " + destination + " is")
                            .lines()
                            .filter(line -> line.startsWith("hostname "))
                            .map(line -> line.substring("hostname ".length()))
                            .findFirst()
                            .orElse(destination);
            try {
                return InetAddress.getByName(known).getHostAddress();
            } catch (UnknownHostException unknown) {
                throw PetrichorException.of(
                        ErrorCode.NOT_FOUND,
                        "the host {known} has no address; check its name, or give its IP",
                        "known",
                        known);
            }
        }

        @Override
        public List<String> command(String script) {
            List<String> command = new ArrayList<>(command(List.of()));
            command.add("sh -c " + Shell.quoted(script));
            return command;
        }

        private List<String> command(List<String> more) {
            List<String> command = new ArrayList<>(ALWAYS);
            command.addAll(options);
            command.addAll(more);
            user.ifPresent(who -> command.addAll(List.of("-l", who)));
            command.addAll(List.of("--", destination));
            return command;
        }
    }
}
