package petrichor.kv.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import petrichor.deployment.Cluster;
import petrichor.deployment.Dependency;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;

/**
 * Deployment of the JDK's built-in web server, which starts quickly and needs no download: for
 * tests of deployments. It stores nothing.
 */
public class WebServerDeployment implements StoreDeployment {
    private final String store;
    private final int port;

    /**
     * @param store its name
     * @param port its default port
     */
    public WebServerDeployment(String store, int port) {
        this.store = store;
        this.port = port;
    }

    @Override
    public String store() {
        return store;
    }

    @Override
    public String version() {
        return "25";
    }

    @Override
    public int nodesMax() {
        return 3;
    }

    @Override
    public List<Dependency> supplies() {
        return List.of(new Dependency.Java("java", List.of(25)));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of("http", port);
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        return new NodeRecipe(
                Map.of("index.html", "here"),
                List.of(),
                List.of(
                        node.supply("java").resolve("bin/java").toString(),
                        "-XX:+UseSerialGC",
                        "-m",
                        "jdk.httpserver",
                        "-b",
                        node.address(),
                        "-p",
                        "" + node.port("http")),
                Map.of(),
                false);
    }

    @Override
    public boolean serves(Cluster cluster, Node node) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(node.address(), node.port("http")), 1_000);
            socket.setSoTimeout(1_000);
            socket.getOutputStream().write("HEAD / HTTP/1.0\r\n\r\n".getBytes(US_ASCII));
            return socket.getInputStream().read() == 'H';
        } catch (IOException silent) {
            return false;
        }
    }

    @Override
    public String url(Cluster cluster) {
        return store + "://" + cluster.first().address() + ":" + cluster.first().port("http") + "/";
    }
}
