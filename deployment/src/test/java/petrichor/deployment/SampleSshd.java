package petrichor.deployment;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A real sshd on loopback, with its own keys and separate home folders for users: a second machine
 * as far as files are concerned.
 */
final class SampleSshd implements StoreDeployment {
    private static final String KEY = "client_key";

    @Override
    public String store() {
        return "sshd";
    }

    @Override
    public String version() {
        return "9";
    }

    @Override
    public int nodesMax() {
        return 2;
    }

    @Override
    public List<Dependency> supplies() {
        return List.of(
                new Dependency.Programs(
                        "sshd", List.of("sshd"), List.of("/usr/sbin"), List.of("openssh-server")));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of("ssh", 2222);
    }

    static Path home(Node node) {
        return node.folder().resolve("home");
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        String configuration =
                """
                Port %d
                ListenAddress %s
                HostKey %s/host_key
                AuthorizedKeysFile %s/%s.pub
                SetEnv HOME=%s PETRICHOR_HOME=%s/.petrichor
                StrictModes no
                UsePAM no
                PidFile none
                PasswordAuthentication no
                KbdInteractiveAuthentication no
                PermitRootLogin prohibit-password
                """
                        .formatted(
                                node.port("ssh"),
                                node.address(),
                                node.folder(),
                                node.folder(),
                                KEY,
                                home(node),
                                home(node));
        String sshd = node.supply("sshd").resolve("sshd").toString();
        return new NodeRecipe(
                Map.of("sshd_config", configuration),
                List.of(
                        List.of("mkdir", home(node).toString()),
                        List.of("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "host_key"),
                        List.of("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", KEY)),
                List.of("sh", "-c", start(sshd + " -D -e -f \"$PWD\"/sshd_config")),
                Map.of(),
                false);
    }

    /**
     * Root's sshd requires a dedicated user, which only its installation creates. If sshd is not
     * installed, it gets one from a list of users that no other process sees.
     */
    private static String start(String command) {
        return """
        [ "$(id -u)" = 0 ] || exec %1$s
        mkdir -p /run/sshd
        ! grep -q ^sshd: /etc/passwd || exec %1$s
        { cat /etc/passwd; echo sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin; } >passwd
        exec unshare -m sh -c 'mount --bind passwd /etc/passwd && exec %1$s'
        """
                .formatted(command);
    }

    @Override
    public boolean serves(Cluster cluster, Node node) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(node.address(), node.port("ssh")), 1_000);
            socket.setSoTimeout(1_000);
            return new String(socket.getInputStream().readNBytes(4), US_ASCII).equals("SSH-");
        } catch (IOException silent) {
            return false;
        }
    }

    /** The node as a host of other nodes. */
    static Host.OverSsh host(Node node) {
        return new Host.OverSsh(
                node.address(),
                Optional.of(System.getProperty("user.name")),
                List.of(
                        "-F",
                        "/dev/null",
                        "-o",
                        "Port=" + node.port("ssh"),
                        "-o",
                        "IdentityFile=" + node.folder().resolve(KEY),
                        "-o",
                        "IdentitiesOnly=yes",
                        "-o",
                        "StrictHostKeyChecking=no",
                        "-o",
                        "UserKnownHostsFile=/dev/null",
                        "-o",
                        "LogLevel=ERROR"));
    }

    @Override
    public String url(Cluster cluster) {
        return "ssh://" + cluster.first().address() + ":" + cluster.first().port("ssh");
    }
}
