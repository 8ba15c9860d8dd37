package petrichor.testing.crash;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import petrichor.coordination.zookeeper.ZooKeeperDeployment;
import petrichor.deployment.Node;
import petrichor.kv.testkit.RealStore;
import petrichor.server.data.StorePlugins;
import petrichor.testing.process.PetrichorServer;
import petrichor.testing.stores.PackagedStores;

/** A cluster of server processes over a real datastore and a real ZooKeeper. */
final class ClusterUnderTest implements AutoCloseable {
    private static final AtomicInteger CLUSTERS = new AtomicInteger();

    private static final String COORDINATION = "PETRICHOR_CLUSTER__COORDINATION";

    private final RealStore below;
    private final RealStore zooKeeper;
    private final Map<String, String> environment;
    private final Path log;
    private final List<PetrichorServer> servers = new ArrayList<>();

    private ClusterUnderTest(
            RealStore below, RealStore zooKeeper, Map<String, String> environment, Path log) {
        this.below = below;
        this.zooKeeper = zooKeeper;
        this.environment = environment;
        this.log = log;
    }

    /** Uses a separate part of the store and of ZooKeeper, which all tests share. */
    static ClusterUnderTest start(String store, int servers, Path folder) {
        return start(store, servers, folder, _ -> Map.of());
    }

    /**
     * @param own environment of a server, by its number
     */
    static ClusterUnderTest start(
            String store, int servers, Path folder, IntFunction<Map<String, String>> own) {
        RealStore below = RealStore.of(PackagedStores.deployment(store));
        RealStore zooKeeper = RealStore.of(new ZooKeeperDeployment());
        String name = "cluster" + CLUSTERS.incrementAndGet();
        Map<String, String> environment = new HashMap<>(plugins());
        environment.put("PETRICHOR_STORE__URL", corner(store, below.url(), name));
        environment.put(COORDINATION, corner("zookeeper", zooKeeper.url(), name));
        Path log = folder.resolve("servers.log");
        ClusterUnderTest cluster = new ClusterUnderTest(below, zooKeeper, environment, log);
        for (int i = 0; i < servers; i++) {
            cluster.add(own.apply(i));
        }
        return cluster;
    }

    /** Starts another server of the cluster. */
    PetrichorServer add() {
        return add(Map.of());
    }

    private PetrichorServer add(Map<String, String> own) {
        Map<String, String> all = new HashMap<>(environment);
        all.putAll(own);
        PetrichorServer server = PetrichorServer.start(List.of(), all, log);
        servers.add(server);
        return server;
    }

    /** Sends SIGSTOP to the datastore's first node. */
    void pauseStore() {
        below.pause(below.cluster().first().number());
    }

    void resumeStore() {
        below.resume(below.cluster().first().number());
    }

    /**
     * Number of databases that a server owns, according to its own page; 0 if it does not answer.
     */
    int owned(PetrichorServer server) {
        try {
            return ownedBy(server).size();
        } catch (IOException | InterruptedException failed) {
            return 0;
        }
    }

    void kill(PetrichorServer server) {
        server.kill();
        servers.remove(server);
    }

    /** The environment of a standalone server over the same store. */
    Map<String, String> standalone() {
        Map<String, String> alone = new HashMap<>(environment);
        alone.remove(COORDINATION);
        return alone;
    }

    /** The environment of a server over the same store with another path in ZooKeeper. */
    Map<String, String> otherCoordination() {
        Map<String, String> other = new HashMap<>(environment);
        other.merge(COORDINATION, "-other", String::concat);
        return other;
    }

    /**
     * The address of a separate part of a shared store, with a generous timeout for busy machines.
     */
    private static String corner(String store, String url, String name) {
        return switch (store) {
            case "postgresql" -> url + "?timeout=20s&schema=" + name;
            case "cassandra" -> url + "." + name + "?timeout=20s";
            case "redis" -> url.replaceFirst("/petrichor$", "/" + name + "?timeout=20s");
            default -> url.replaceFirst("/petrichor$", "/" + name);
        };
    }

    /** Settings with which a server finds the plugins of datastores. */
    static Map<String, String> plugins() {
        return Map.of(
                "JAVA_TOOL_OPTIONS",
                "-D" + StorePlugins.FOLDER_PROPERTY + "=" + PackagedStores.FOLDER);
    }

    List<PetrichorServer> servers() {
        return servers;
    }

    /** According to the cluster page of another server. */
    PetrichorServer owner(String database) throws IOException, InterruptedException {
        for (PetrichorServer server : servers) {
            if (ownedBy(server).contains(database)) {
                return server;
            }
        }
        throw new AssertionError("no server owns " + database + "; the log:\n" + log());
    }

    PetrichorServer other(PetrichorServer than) {
        return servers.stream().filter(server -> !server.equals(than)).findFirst().orElseThrow();
    }

    private static List<String> ownedBy(PetrichorServer server)
            throws IOException, InterruptedException {
        JsonObject page =
                JsonParser.parseString(server.get("/petrichor/v1/cluster").body())
                        .getAsJsonObject();
        List<String> owned = new ArrayList<>();
        for (JsonElement one : page.getAsJsonArray("servers")) {
            if (one.getAsJsonObject().get("self").getAsBoolean()) {
                for (JsonElement database : one.getAsJsonObject().getAsJsonArray("databases")) {
                    owned.add(database.getAsJsonObject().get("name").getAsString());
                }
            }
        }
        return owned;
    }

    /**
     * Number of packets that ZooKeeper has received from all of its clients, according to its own
     * counter.
     */
    long zooKeeperPackets() {
        Node node = zooKeeper.cluster().first();
        try (Socket socket =
                new Socket(InetAddress.ofLiteral(node.address()), node.port("client"))) {
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            String answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return answer.lines()
                    .filter(line -> line.startsWith("Received: "))
                    .mapToLong(line -> Long.parseLong(line.substring("Received: ".length())))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    String log() throws IOException {
        return Files.exists(log) ? Files.readString(log) : "";
    }

    @Override
    public void close() {
        servers.forEach(PetrichorServer::close);
    }
}
