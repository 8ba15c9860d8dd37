package petrichor.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import petrichor.kv.deployment.Cluster;
import petrichor.kv.deployment.Node;
import petrichor.kv.deployment.NodeRecipe;
import petrichor.kv.deployment.StoreDeployment;
import petrichor.kv.deployment.Supply;

/** What a datastore's plugin brings along, for the web server that comes with Java. */
public final class SampleStore implements StoreDeployment {

    /** Lays the plugin out as the build does: a folder of jars. */
    static void install(Path stores) throws IOException {
        Path folder = Files.createDirectories(stores.resolve("kv-sample"));
        String self = SampleStore.class.getName().replace('.', '/') + ".class";
        try (OutputStream file = Files.newOutputStream(folder.resolve("kv-sample.jar"));
                JarOutputStream jar = new JarOutputStream(file);
                InputStream code = SampleStore.class.getClassLoader().getResourceAsStream(self)) {
            jar.putNextEntry(new JarEntry(self));
            code.transferTo(jar);
            jar.putNextEntry(new JarEntry("META-INF/services/" + StoreDeployment.class.getName()));
            jar.write(SampleStore.class.getName().getBytes(US_ASCII));
        }
    }

    @Override
    public String store() {
        return "sample";
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
    public List<Supply> supplies() {
        return List.of(new Supply.Java("java", List.of(25)));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of("http", 21_180);
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
        return "sample://" + cluster.first().address() + ":" + cluster.first().port("http") + "/";
    }
}
