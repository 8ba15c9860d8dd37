package petrichor.testing.cluster;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.deployment.Host;
import petrichor.deployment.Node;
import petrichor.deployment.Progress;
import petrichor.deployment.StoreCluster;
import petrichor.deployment.StoreCluster.Layout;
import petrichor.deployment.StoreDeployment;
import petrichor.kv.StoreUrl;
import petrichor.server.data.StorePlugins;

/**
 * The system under test: an ensemble of ZooKeeper, a real store, servers, and the network between
 * them. Confined to one thread, except that faults may use it from another.
 */
final class LabSystem implements AutoCloseable {
    private static final String COORDINATION = "zookeeper";
    private static final String CLUSTER_PAGE = "/petrichor/v1/cluster";
    private static final int ASK_MILLIS_MAX = 1_000;

    /** Address and port of a node in a URL. */
    private static final Pattern NODE = Pattern.compile("(\\d+\\.\\d+\\.\\d+\\.\\d+):\\d+");

    /**
     * Stores that do not work on separate hosts: the ZooKeeper in a standalone HBase has no setting
     * for its address, and DynamoDB Local does not respond there within three minutes.
     */
    private static final Set<String> LOOPBACK_ONLY = Set.of("dynamodb", "hbase");

    private final Network network;
    private final StoreCluster zooKeeper;
    private final StoreCluster store;
    private final List<LabServer> servers = new ArrayList<>();
    private final List<String> databases;
    private final Teardown teardown;
    private final List<String> zooKeeperHosts;
    private final List<String> storeHosts;

    private LabSystem(
            Network network,
            StoreCluster zooKeeper,
            StoreCluster store,
            List<String> databases,
            Teardown teardown) {
        this.network = network;
        this.zooKeeper = zooKeeper;
        this.store = store;
        this.databases = List.copyOf(databases);
        this.teardown = teardown;
        this.zooKeeperHosts = hosts(COORDINATION, zooKeeper.cluster().nodes().size());
        this.storeHosts = hosts("store", store.cluster().nodes().size());
    }

    private static List<String> hosts(String what, int count) {
        List<String> hosts = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            hosts.add(what + "-" + number);
        }
        return List.copyOf(hosts);
    }

    /** Returns when all parts are ready. */
    static LabSystem start(LabOptions options, List<String> databases, Consumer<String> say) {
        Teardown teardown = new Teardown();
        try {
            Network network = network(options, say);
            teardown.add(network::close);
            StoreCluster zooKeeper =
                    startCluster(
                            COORDINATION,
                            COORDINATION,
                            options.zookeepers(),
                            network,
                            options,
                            teardown,
                            say);
            StoreCluster store =
                    startCluster(
                            options.store(),
                            "store",
                            options.storeNodes(),
                            network,
                            options,
                            teardown,
                            say);
            LabSystem system = new LabSystem(network, zooKeeper, store, databases, teardown);
            say.accept("starting " + options.servers() + " servers");
            system.startServers(options);
            return system;
        } catch (RuntimeException failed) {
            teardown.close();
            throw failed;
        }
    }

    private static Network network(LabOptions options, Consumer<String> say) {
        if (options.loopback() || !Namespaces.possible()) {
            return new Proxies();
        }
        if (LOOPBACK_ONLY.contains(options.store())) {
            say.accept(options.store() + " works on loopback only: links are cut in proxies");
            return new Proxies();
        }
        return Namespaces.open();
    }

    private static StoreCluster startCluster(
            String deployment,
            String role,
            int nodes,
            Network network,
            LabOptions options,
            Teardown teardown,
            Consumer<String> say) {
        say.accept("starting " + deployment + ", " + nodes + (nodes == 1 ? " node" : " nodes"));
        StoreDeployment described =
                StorePlugins.installed()
                        .deployment(deployment)
                        .orElseThrow(
                                () ->
                                        PetrichorException.invalid(
                                                "there is no store '"
                                                        + deployment
                                                        + "'; available: "
                                                        + StorePlugins.installed()
                                                                .deployments()
                                                                .stream()
                                                                .map(StoreDeployment::store)
                                                                .toList()));
        List<Host> places = new ArrayList<>();
        for (String host : hosts(role, nodes)) {
            network.host(host);
            places.add(network.asHost(host));
        }
        Progress progress = say::accept;
        StoreCluster cluster =
                StoreCluster.create(
                        described,
                        options.folder().resolve(role),
                        new Layout(places, false),
                        progress);
        teardown.add(() -> StoreCluster.destroy(cluster.folder()));
        cluster.start(progress);
        return cluster;
    }

    private void startServers(LabOptions options) {
        for (int number = 1; number <= options.servers(); number++) {
            String name = "server-" + number;
            int port = freePort();
            String announced =
                    network.route(Network.ANYBODY, name, network.host(name) + ":" + port);
            String config =
                    """
                    [store]
                    url = "%s"
                    [cluster]
                    coordination = "%s"
                    address = "%s"
                    token = "laboratory"
                    """
                            .formatted(
                                    routed(store, storeHosts, name),
                                    routed(zooKeeper, zooKeeperHosts, name),
                                    announced);
            Path folder = options.folder().resolve(name);
            LabServer server = new LabServer(name, network, port, announced, folder, config);
            teardown.add(server::close);
            servers.add(server);
        }
        for (LabServer server : servers) {
            server.start();
            server.awaitReady();
        }
    }

    /** The URL of a cluster, with the addresses by which this server reaches its nodes. */
    private String routed(StoreCluster cluster, List<String> hosts, String server) {
        List<Node> nodes = cluster.cluster().nodes();
        return NODE.matcher(cluster.url())
                .replaceAll(
                        found -> {
                            for (int number = 0; number < nodes.size(); number++) {
                                if (nodes.get(number).address().equals(found.group(1))) {
                                    return network.route(server, hosts.get(number), found.group());
                                }
                            }
                            throw new IllegalStateException(
                                    found.group() + " is not a node of " + cluster.url());
                        });
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException none) {
            throw new PetrichorException(
                    ErrorCode.RESOURCE_EXHAUSTED, "there is no free port: " + none.getMessage());
        }
    }

    Network network() {
        return network;
    }

    StoreCluster zooKeeper() {
        return zooKeeper;
    }

    StoreCluster store() {
        return store;
    }

    String storeScheme() {
        return StoreUrl.parse(store.url()).scheme();
    }

    List<LabServer> servers() {
        return servers;
    }

    List<String> databases() {
        return databases;
    }

    List<String> zooKeeperHosts() {
        return zooKeeperHosts;
    }

    List<String> storeHosts() {
        return storeHosts;
    }

    /** The owner of a database according to the servers; the first server if none reports one. */
    LabServer sequencer(String database) {
        String name = LabClient.PROJECT + "/" + database;
        return servers.stream()
                .flatMap(server -> server.page(CLUSTER_PAGE).stream())
                .flatMap(page -> ownerIn(page, name).stream())
                .findFirst()
                .orElse(servers.getFirst());
    }

    private Optional<LabServer> ownerIn(String page, String database) {
        for (JsonElement one :
                JsonParser.parseString(page).getAsJsonObject().getAsJsonArray("servers")) {
            JsonObject server = one.getAsJsonObject();
            for (JsonElement owned : server.getAsJsonArray("databases")) {
                if (owned.getAsJsonObject().get("name").getAsString().equals(database)) {
                    String address = server.get("address").getAsString();
                    return servers.stream()
                            .filter(known -> known.announced().equals(address))
                            .findFirst();
                }
            }
        }
        return Optional.empty();
    }

    /** The leader; the first node if none reports that it leads. */
    Node zooKeeperLeader() {
        List<Node> nodes = zooKeeper.cluster().nodes();
        return nodes.stream().filter(LabSystem::leads).findFirst().orElse(nodes.getFirst());
    }

    private static boolean leads(Node node) {
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(node.address(), node.port("client")), ASK_MILLIS_MAX);
            socket.setSoTimeout(ASK_MILLIS_MAX);
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            String answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return answer.contains("Mode: leader") || answer.contains("Mode: standalone");
        } catch (IOException silent) {
            return false;
        }
    }

    /** Stops the servers but not the store, for the final comparison. */
    void stopServers() {
        servers.forEach(LabServer::close);
    }

    @Override
    public void close() {
        teardown.close();
    }
}
