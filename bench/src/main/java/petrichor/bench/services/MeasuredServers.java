package petrichor.bench.services;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import petrichor.base.PetrichorException;
import petrichor.bench.Report;
import petrichor.bench.ServerProcess;
import petrichor.bench.TemporaryFolder;
import petrichor.testing.process.RabbitMqServer;

/** Starts Petrichor and its peers, and their clients. Closes all of them. */
final class MeasuredServers implements AutoCloseable {
    static final String OURS = "petrichor";
    static final String JAVA = "Java API server";
    static final String ECHO = "HTTP echo";
    static final String MEMCACHED = "memcached";
    static final String RABBITMQ = "RabbitMQ";
    static final String STORAGE = "fake-gcs-server";

    private static final String PROJECT = "bench-app";

    /** A queue with a rate above anything that is measured. */
    private static final String QUEUES =
            """
            queue:
            - name: drain
              rate: 100000/s
              bucket_size: 500
              max_concurrent_requests: 100
            """;

    private static final String LOOPBACK = "127.0.0.1:";
    private static final int OK = 200;

    private final Path peers;
    private final TemporaryFolder folder;
    private final Report report;
    private final List<Runnable> closings = new ArrayList<>();

    /**
     * @param peers the folder of {@code bench/peers/install}
     * @param report receives a note for each peer that is not installed
     */
    MeasuredServers(Path peers, TemporaryFolder folder, Report report) {
        this.peers = peers;
        this.folder = folder;
        this.report = report;
        if (!Files.isExecutable(client())) {
            throw PetrichorException.invalid(
                    "{program} does not exist; run bench/peers/install {peers} services",
                    "program",
                    client(),
                    "peers",
                    peers);
        }
    }

    private Path client() {
        return peers.resolve("services/services-client");
    }

    /** Durable, as started by users, with an app to which it sends tasks. */
    ServerProcess petrichor(int appPort) throws IOException, InterruptedException {
        ServerProcess server =
                ServerProcess.petrichor(
                        List.of("--data", folder.path("data").toString()),
                        Map.of(
                                "PETRICHOR_APPS__TARGETS",
                                PROJECT + "=http://127.0.0.1:" + appPort));
        closings.add(server::close);
        defineQueues(server.port());
        return server;
    }

    private static void defineQueues(int port) throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest post =
                    HttpRequest.newBuilder(
                                    URI.create(
                                            "http://127.0.0.1:"
                                                    + port
                                                    + "/petrichor/v1/queues/"
                                                    + PROJECT))
                            .POST(HttpRequest.BodyPublishers.ofString(QUEUES))
                            .build();
            HttpResponse<String> answer = http.send(post, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != OK) {
                throw new IllegalStateException("queues were not defined: " + answer.body());
            }
        }
    }

    /** The App Engine SDK of Go against our server. */
    MeasuredServer app(ServerProcess server, int appPort) {
        return started(OURS, server, "appengine", LOOPBACK + server.port(), appPort);
    }

    /** Google's client of Cloud Storage against our server. */
    MeasuredServer objects(ServerProcess server) {
        return started(OURS, server, "storage", "http://127.0.0.1:" + server.port(), 0);
    }

    /** Adds Google's Java API server if it is installed. */
    void javaApiServer(List<MeasuredServer> servers) {
        Path java = peers.resolve("java-api-server");
        if (!Files.isDirectory(java)) {
            report.note("the Java API server is not installed in " + peers);
            return;
        }
        int port = ServerProcess.freePort();
        int appPort = ServerProcess.freePort();
        ServerProcess server =
                open(
                        ServerProcess.start(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "-cp",
                                        java + "/*",
                                        peers.resolve("ApiServerOnLoopback.java").toString(),
                                        Integer.toString(port),
                                        Integer.toString(appPort)),
                                port,
                                Map.of()));
        servers.add(started(JAVA, server, "appengine", LOOPBACK + port, appPort));
    }

    /** Adds the ceiling of all servers that apps reach by HTTP: it answers with prepared bytes. */
    void echo(List<MeasuredServer> servers) {
        int port = ServerProcess.freePort();
        ServerProcess server =
                open(
                        ServerProcess.start(
                                List.of(client().toString(), "echo", LOOPBACK + port),
                                port,
                                Map.of()));
        servers.add(started(ECHO, server, "appengine", LOOPBACK + port, ServerProcess.freePort()));
    }

    /** Adds memcached, without App Engine's API, if it is installed. */
    void memcached(List<MeasuredServer> servers) {
        Path program = Path.of("/usr/bin/memcached");
        if (!Files.isExecutable(program)) {
            report.note("memcached is not installed; install the distribution's package");
            return;
        }
        int port = ServerProcess.freePort();
        ServerProcess server =
                open(
                        ServerProcess.start(
                                List.of(
                                        program.toString(),
                                        "-u",
                                        "nobody",
                                        "-l",
                                        "127.0.0.1",
                                        "-p",
                                        Integer.toString(port)),
                                port,
                                Map.of()));
        servers.add(started(MEMCACHED, server, "memcached", LOOPBACK + port, 0));
    }

    /** Adds RabbitMQ with durable queues and confirmed messages if it is installed. */
    void rabbitMq(List<MeasuredServer> servers) throws IOException {
        if (!RabbitMqServer.installed()) {
            report.note("RabbitMQ is not installed; install the distribution's package");
            return;
        }
        RabbitMqServer server = RabbitMqServer.in(Files.createDirectories(folder.path("rabbitmq")));
        closings.add(server::close);
        SdkClient client = new SdkClient(client(), "rabbitmq", server.url(), Map.of());
        closings.add(client::close);
        servers.add(new MeasuredServer(RABBITMQ, client, null));
    }

    /** Adds the storage emulator, with its objects in files, if it is installed. */
    void storageEmulator(List<MeasuredServer> servers) {
        Path program = peers.resolve("services/fake-gcs-server");
        if (!Files.isExecutable(program)) {
            report.note("fake-gcs-server is not installed in " + peers);
            return;
        }
        int port = ServerProcess.freePort();
        ServerProcess server =
                open(
                        ServerProcess.start(
                                List.of(
                                        program.toString(),
                                        "-scheme",
                                        "http",
                                        "-host",
                                        "127.0.0.1",
                                        "-port",
                                        Integer.toString(port),
                                        "-public-host",
                                        LOOPBACK + port,
                                        "-backend",
                                        "filesystem",
                                        "-filesystem-root",
                                        folder.path("objects").toString()),
                                port,
                                Map.of()));
        servers.add(started(STORAGE, server, "storage", "http://127.0.0.1:" + port, 0));
    }

    private ServerProcess open(ServerProcess server) {
        closings.add(server::close);
        return server;
    }

    private MeasuredServer started(
            String name, ServerProcess server, String kind, String address, int appPort) {
        SdkClient client =
                new SdkClient(
                        client(), kind, address, Map.of("APP_PORT", Integer.toString(appPort)));
        closings.add(client::close);
        return new MeasuredServer(name, client, server::cpu);
    }

    @Override
    public void close() {
        closings.reversed().forEach(Runnable::run);
    }
}
