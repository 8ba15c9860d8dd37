package petrichor.kv.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import petrichor.kv.deployment.Cluster;
import petrichor.kv.deployment.Node;
import petrichor.kv.deployment.NodeRecipe;
import petrichor.kv.deployment.StoreDeployment;
import petrichor.kv.deployment.Supply;

class RealStoreTest {

    @Test
    void sharedServersAreStartedOnce() {
        RealStore one = RealStore.of(new WebServer());
        assertThat(RealStore.of(new WebServer())).isSameAs(one);
        assertThat(answers(one, 1)).isTrue();
    }

    @Test
    void nodesAreKilledStartedPausedAndResumed() {
        try (RealStore store = RealStore.start(new WebServer(), 2)) {
            assertThat(store.url()).startsWith("web://127.0.0.1:");
            store.kill(1);
            assertThat(answers(store, 1)).isFalse();
            assertThat(answers(store, 2)).isTrue();
            store.start(1);
            assertThat(answers(store, 1)).isTrue();
            store.pause(2);
            assertThat(answers(store, 2)).isFalse();
            store.resume(2);
            assertThat(answers(store, 2)).isTrue();
        }
    }

    @Test
    void closedStoreLeavesNothing() {
        RealStore store = RealStore.start(new WebServer(), 1);
        Node node = store.cluster().first();
        store.close();
        store.close();
        assertThat(new WebServer().serves(store.cluster(), node)).isFalse();
        assertThat(node.folder().getParent()).doesNotExist();
    }

    private static boolean answers(RealStore store, int node) {
        return new WebServer().serves(store.cluster(), store.cluster().nodes().get(node - 1));
    }

    /** The web server that comes with Java, which is a server like any other. */
    private static final class WebServer implements StoreDeployment {
        @Override
        public String store() {
            return "web";
        }

        @Override
        public String version() {
            return "25";
        }

        @Override
        public int nodesMax() {
            return 2;
        }

        @Override
        public List<Supply> supplies() {
            return List.of(new Supply.Java("java", List.of(25)));
        }

        @Override
        public Map<String, Integer> ports() {
            return Map.of("http", 8000);
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
            return "web://" + cluster.first().address() + ":" + cluster.first().port("http") + "/";
        }
    }
}
