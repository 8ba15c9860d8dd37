package petrichor.kv.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import petrichor.deployment.Cluster;
import petrichor.deployment.Dependency;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;

/**
 * Deploys one Redis server from the system's packages, with a password, that syncs before it
 * responds.
 */
public final class RedisDeployment implements StoreDeployment {
    private static final String PROGRAM = "redis-server";
    private static final String PORT = "redis";
    private static final int ASK_TIMEOUT_MS = 2000;

    @Override
    public String store() {
        return "redis";
    }

    @Override
    public String version() {
        return "7";
    }

    @Override
    public int nodesMax() {
        return 1;
    }

    @Override
    public List<Dependency> supplies() {
        return List.of(
                new Dependency.Programs(
                        PROGRAM,
                        List.of(PROGRAM),
                        List.of("/usr/bin", "/usr/local/bin"),
                        List.of(PROGRAM)));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of(PORT, RedisAddress.PORT);
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        Path configuration = node.folder().resolve("redis.conf");
        return new NodeRecipe(
                Map.of("redis.conf", configuration(cluster, node)),
                List.of(),
                List.of(node.supply(PROGRAM).resolve(PROGRAM).toString(), configuration.toString()),
                Map.of(),
                false);
    }

    private static String configuration(Cluster cluster, Node node) {
        return """
        # Written at each start.
        bind %s
        port %d
        requirepass %s
        dir "%s"
        daemonize no

        # What Petrichor insists on.
        appendonly yes
        appendfsync always
        no-appendfsync-on-rewrite no
        maxmemory-policy noeviction

        # The append-only file is all that is needed.
        save ""
        """
                .formatted(
                        node.address(),
                        node.port(PORT),
                        cluster.secret(),
                        node.folder().toString().replace("\\", "\\\\").replace("\"", "\\\""));
    }

    @Override
    public boolean serves(Cluster cluster, Node node) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(node.address(), node.port(PORT)), ASK_TIMEOUT_MS);
            socket.setSoTimeout(ASK_TIMEOUT_MS);
            String request = "AUTH " + cluster.secret() + "\r\nPING\r\n";
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            BufferedReader answers =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
            return "+OK".equals(answers.readLine()) && "+PONG".equals(answers.readLine());
        } catch (IOException notYet) {
            return false;
        }
    }

    @Override
    public String url(Cluster cluster) {
        Node node = cluster.first();
        return "redis://default:%s@%s:%d/petrichor"
                .formatted(cluster.secret(), node.address(), node.port(PORT));
    }
}
