package petrichor.bench;

import com.google.datastore.v1.Entity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The same mix of operations against Petrichor and against the servers that {@code
 * bench/peers/install} installs: each in a process of its own, interleaved. Clients write keys of
 * their own in transactions, because one of the peers does not detect conflicts.
 */
final class Peers {
    private static final int ENTITIES = 4_000;
    private static final int CLIENTS = 16;
    private static final int BATCH = 100;

    private static final String OURS = "petrichor, durable";
    private static final String RUST = "Rust emulator, in memory";
    private static final String SDK = "Python SDK stub";
    private static final String JAVA = "Java API server";

    private Peers() {}

    private enum Mix {
        GET("get of 1 entity", 1.0),
        QUERY("query of 20 entities", 1.0),
        PUT("put of 1 entity", 0.7),
        TRANSACTION("transaction: read 1, write 1", 0.7);

        private final String title;
        private final double rustTarget;

        Mix(String title, double rustTarget) {
            this.title = title;
            this.rustTarget = rustTarget;
        }

        void run(Target target, int client, long number, SplittableRandom random) {
            switch (this) {
                case GET -> target.get(random.nextLong(ENTITIES));
                case QUERY ->
                        target.query(
                                random.nextLong(ENTITIES / SampleData.GROUP_SIZE),
                                SampleData.GROUP_SIZE);
                case PUT ->
                        target.put(List.of(SampleData.entity(random.nextLong(ENTITIES), number)));
                case TRANSACTION ->
                        target.transaction(
                                random.nextLong(ENTITIES / CLIENTS) * CLIENTS + client, number);
            }
        }
    }

    static void measure(
            Report report, int rounds, Duration length, @Nullable Path peers, Progress progress)
            throws Exception {
        Map<String, ServerProcess> servers = new LinkedHashMap<>();
        Map<String, Target> targets = new LinkedHashMap<>();
        try (TemporaryFolder folder = new TemporaryFolder()) {
            try {
                start(report, peers, servers, targets);
                ServerProcess ours =
                        ServerProcess.petrichor(List.of("--data", folder.path("data").toString()));
                servers.put(OURS, ours);
                targets.put(OURS, new DatastoreTarget(new GrpcCalls("127.0.0.1", ours.port())));
                for (Map.Entry<String, Target> target : targets.entrySet()) {
                    progress.say("loading " + ENTITIES + " entities: " + target.getKey());
                    load(target.getValue());
                }
                for (Mix mix : Mix.values()) {
                    report.add(contest(mix, targets, servers).run(rounds, length, progress));
                }
            } finally {
                targets.values().forEach(Target::close);
                servers.values().forEach(ServerProcess::close);
            }
        }
    }

    private static void start(
            Report report,
            @Nullable Path peers,
            Map<String, ServerProcess> servers,
            Map<String, Target> targets) {
        if (peers == null) {
            report.note(
                    "no peers were measured: install them with bench/peers/install DIR and pass"
                            + " --peers DIR");
            return;
        }
        Path rust = peers.resolve("bin/datastore-emulator");
        if (Files.isExecutable(rust)) {
            int port = ServerProcess.freePort();
            servers.put(
                    RUST,
                    ServerProcess.start(
                            List.of(
                                    rust.toString(),
                                    "--host-port",
                                    "127.0.0.1:" + port,
                                    "--no-store-on-disk"),
                            port,
                            Map.of()));
            targets.put(RUST, new DatastoreTarget(new GrpcCalls("127.0.0.1", port)));
        } else {
            report.note("the Rust emulator is not installed in " + peers);
        }
        Path python = peers.resolve("sdk/bin/python");
        if (Files.isExecutable(python)) {
            int port = ServerProcess.freePort();
            servers.put(
                    SDK,
                    ServerProcess.start(
                            List.of(
                                    python.toString(),
                                    peers.resolve("sdk_stub_server.py").toString(),
                                    Integer.toString(port)),
                            port,
                            Map.of()));
            targets.put(SDK, new RemoteApiTarget(port));
        } else {
            report.note("the Python SDK stub is not installed in " + peers);
        }
        Path java = peers.resolve("java-api-server");
        if (Files.isDirectory(java)) {
            int port = ServerProcess.freePort();
            servers.put(
                    JAVA,
                    ServerProcess.start(
                            List.of(
                                    Path.of(System.getProperty("java.home"), "bin", "java")
                                            .toString(),
                                    "-cp",
                                    java + "/*",
                                    peers.resolve("ApiServerOnLoopback.java").toString(),
                                    Integer.toString(port),
                                    Integer.toString(ServerProcess.freePort())),
                            port,
                            Map.of()));
            targets.put(JAVA, new RemoteApiTarget(port));
        } else {
            report.note("the Java API server is not installed in " + peers);
        }
    }

    private static void load(Target target) {
        for (int from = 0; from < ENTITIES; from += BATCH) {
            List<Entity> batch = new ArrayList<>(BATCH);
            for (int n = from; n < from + BATCH; n++) {
                batch.add(SampleData.entity(n, 0));
            }
            target.put(batch);
        }
    }

    private static Contest contest(
            Mix mix, Map<String, Target> targets, Map<String, ServerProcess> servers) {
        List<Contender> contenders = new ArrayList<>();
        targets.forEach(
                (name, target) ->
                        contenders.add(
                                contender(
                                        name,
                                        target,
                                        mix,
                                        Objects.requireNonNull(servers.get(name)))));
        Map<String, Double> promised = new LinkedHashMap<>();
        targets.keySet().stream()
                .filter(name -> !name.equals(OURS))
                .forEach(name -> promised.put(name, name.equals(RUST) ? mix.rustTarget : 5.0));
        return new Contest(mix.title + ", " + CLIENTS + " clients", OURS, contenders, promised);
    }

    private static Contender contender(String name, Target target, Mix mix, ServerProcess server) {
        return new Contender(
                name,
                length -> {
                    SplittableRandom[] random = new SplittableRandom[CLIENTS];
                    for (int i = 0; i < CLIENTS; i++) {
                        random[i] = new SplittableRandom(i);
                    }
                    return ClosedLoop.run(
                            CLIENTS,
                            length,
                            (client, number) -> mix.run(target, client, number, random[client]));
                },
                server::cpu);
    }
}
