package petrichor.deployment;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/** A PostgreSQL: it is prepared by a program, and refuses to run as root. */
final class SamplePostgres implements StoreDeployment {
    private static final int SSL_REQUEST = 80_877_103;

    @Override
    public String store() {
        return "sample-postgresql";
    }

    @Override
    public String version() {
        return "15";
    }

    @Override
    public int nodesMax() {
        return 1;
    }

    @Override
    public List<Dependency> supplies() {
        return List.of(
                new Dependency.Programs(
                        "postgresql",
                        List.of("initdb", "postgres"),
                        List.of("/usr/lib/postgresql/15/bin"),
                        List.of("postgresql-15")));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of("client", 5432);
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        String programs = node.supply("postgresql").toString();
        String data = node.folder().resolve("data").toString();
        return new NodeRecipe(
                Map.of(),
                List.of(
                        List.of(
                                programs + "/initdb",
                                "-D",
                                data,
                                "-U",
                                "petrichor",
                                "-A",
                                "trust")),
                List.of(
                        programs + "/postgres",
                        "-D",
                        data,
                        "-h",
                        node.address(),
                        "-p",
                        "" + node.port("client"),
                        "-k",
                        node.folder().toString()),
                Map.of(),
                true);
    }

    @Override
    public String stopSignal() {
        return "INT";
    }

    /** It answers a request for encryption before authentication. */
    @Override
    public boolean serves(Cluster cluster, Node node) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(node.address(), node.port("client")), 1_000);
            socket.setSoTimeout(1_000);
            byte[] request = ByteBuffer.allocate(8).putInt(8).putInt(SSL_REQUEST).array();
            socket.getOutputStream().write(request);
            return "NS".indexOf(socket.getInputStream().read()) >= 0;
        } catch (IOException silent) {
            return false;
        }
    }

    @Override
    public String url(Cluster cluster) {
        return "postgresql://petrichor@" + cluster.first().address() + "/petrichor";
    }
}
