package petrichor.deployment;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;

/** A minimal Redis. */
final class SampleRedis implements StoreDeployment {
    @Override
    public String store() {
        return "sample-redis";
    }

    @Override
    public String version() {
        return "7";
    }

    @Override
    public int nodesMax() {
        return 3;
    }

    @Override
    public List<Dependency> supplies() {
        return List.of(
                new Dependency.Programs(
                        "redis",
                        List.of("redis-server"),
                        List.of(),
                        List.of("redis-server", "redis-tools")));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of("client", 6379);
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        return new NodeRecipe(
                Map.of(
                        "redis.conf",
                        "bind "
                                + node.address()
                                + "\nport "
                                + node.port("client")
                                + "\nappendonly yes\nappendfsync always\nsave \"\"\n"),
                List.of(),
                List.of(node.supply("redis").resolve("redis-server").toString(), "redis.conf"),
                Map.of(),
                false);
    }

    @Override
    public boolean serves(Cluster cluster, Node node) {
        return "+PONG".equals(ask(node, "PING"));
    }

    @Override
    public String url(Cluster cluster) {
        return "redis://" + cluster.first().address() + ":" + cluster.first().port("client") + "/";
    }

    /** The first line of the response to an inline command, or the error. */
    static String ask(Node node, String command) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(node.address(), node.port("client")), 1_000);
            socket.setSoTimeout(1_000);
            socket.getOutputStream().write((command + "\r\n").getBytes(US_ASCII));
            StringBuilder line = new StringBuilder();
            for (int c; (c = socket.getInputStream().read()) >= 0 && c != '\r'; ) {
                line.append((char) c);
            }
            return line.toString();
        } catch (IOException silent) {
            return silent.toString();
        }
    }
}
