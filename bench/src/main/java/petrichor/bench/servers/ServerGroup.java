package petrichor.bench.servers;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import petrichor.testing.process.Pause;
import petrichor.testing.process.PetrichorServer;

/** Servers over one store, each in a process. Belongs to one thread. Killed on close. */
final class ServerGroup implements AutoCloseable {
    private static final String CLUSTER_PAGE = "/petrichor/v1/cluster";
    private static final Duration SEEN_WITHIN = Duration.ofSeconds(30);

    private final Map<String, String> environment;
    private final Path log;
    private final List<PetrichorServer> servers = new ArrayList<>();

    private ServerGroup(Map<String, String> environment, Path log) {
        this.environment = environment;
        this.log = log;
    }

    /**
     * @param store its address, as in a configuration
     * @param coordination address; empty for a single server
     */
    static ServerGroup start(int count, String store, Optional<String> coordination, Path log)
            throws IOException, InterruptedException {
        Map<String, String> environment = new HashMap<>();
        environment.put("PETRICHOR_STORE__URL", store);
        coordination.ifPresent(url -> environment.put("PETRICHOR_CLUSTER__COORDINATION", url));
        ServerGroup group = new ServerGroup(environment, log);
        try {
            for (int i = 0; i < count; i++) {
                group.add();
            }
            return group;
        } catch (RuntimeException | IOException | InterruptedException failed) {
            group.close();
            throw failed;
        }
    }

    /** Returns when all servers see the new one. */
    private void add() throws IOException, InterruptedException {
        servers.add(PetrichorServer.start(List.of(), environment, log));
        if (!environment.containsKey("PETRICHOR_CLUSTER__COORDINATION")) {
            return;
        }
        for (PetrichorServer server : servers) {
            long started = System.nanoTime();
            while (metric(server, "petrichor_cluster_members") < servers.size()) {
                if (System.nanoTime() - started > SEEN_WITHIN.toNanos()) {
                    throw new IllegalStateException("the servers do not see each other; " + log);
                }
                Pause.briefly();
            }
        }
    }

    List<PetrichorServer> servers() {
        return List.copyOf(servers);
    }

    /** Kills a server. */
    void kill(PetrichorServer server) {
        server.close();
        servers.remove(server);
    }

    /** Starts a replacement for a killed server. */
    void replace() throws IOException, InterruptedException {
        add();
    }

    /** The owner of a database, which must have been used. */
    PetrichorServer owner(String database) throws IOException, InterruptedException {
        for (PetrichorServer server : servers) {
            if (owned(server).contains(database)) {
                return server;
            }
        }
        throw new IllegalStateException("no server owns " + database + "; " + log);
    }

    private static List<String> owned(PetrichorServer server)
            throws IOException, InterruptedException {
        List<String> owned = new ArrayList<>();
        JsonObject page = JsonParser.parseString(server.get(CLUSTER_PAGE).body()).getAsJsonObject();
        for (JsonElement one : page.getAsJsonArray("servers")) {
            if (one.getAsJsonObject().get("self").getAsBoolean()) {
                for (JsonElement database : one.getAsJsonObject().getAsJsonArray("databases")) {
                    owned.add(database.getAsJsonObject().get("name").getAsString());
                }
            }
        }
        return owned;
    }

    /** Processor time of all of them. */
    Duration cpu() {
        return servers.stream()
                .map(server -> server.process().cpu())
                .reduce(Duration.ZERO, Duration::plus);
    }

    /** The sum of a counter over all servers. */
    long counted(String metric) throws IOException, InterruptedException {
        long sum = 0;
        for (PetrichorServer server : servers) {
            sum += metric(server, metric);
        }
        return sum;
    }

    private static long metric(PetrichorServer server, String name)
            throws IOException, InterruptedException {
        return server.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(0);
    }

    @Override
    public void close() {
        servers.forEach(PetrichorServer::close);
    }
}
