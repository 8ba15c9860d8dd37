package petrichor.apps.hosting;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import petrichor.apps.builds.BuildSettings;
import petrichor.apps.builds.Builds;
import petrichor.apps.builds.SourceLimits;
import petrichor.apps.catalog.AppCatalog;
import petrichor.apps.catalog.AppQuotas;
import petrichor.apps.catalog.EffectiveQuotas;
import petrichor.apps.catalog.QuotaRecords;
import petrichor.apps.instances.HostSettings;
import petrichor.apps.instances.InstanceHost;
import petrichor.apps.router.AppRouter;
import petrichor.apps.router.RouterSettings;
import petrichor.apps.router.table.RoutingTable;
import petrichor.base.Cancellation;
import petrichor.base.TimeSource;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** A platform in this process: builds, instances and the router are real. */
final class Platform implements AutoCloseable {
    private static final HttpClient HTTP;

    static {
        // Names below localhost are not known everywhere.
        System.setProperty("jdk.httpclient.allowRestrictedHeaders", "host");
        HTTP = HttpClient.newHttpClient();
    }

    private final Path folder;
    private final RowDatabases databases;
    private final InstanceHost host;
    private final AppRouter router;
    final Hosting hosting;
    volatile int backlog;
    final List<DeployEvent> events = new ArrayList<>();

    Platform(Path folder, MemoryStore store) throws IOException {
        this.folder = folder;
        this.databases = new RowDatabases(store);
        // The users of builds and instances pass it.
        for (Path each : List.of(folder.getParent(), Files.createDirectories(folder))) {
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwx--x--x"));
        }
        HostingSettings settings =
                new HostingSettings(
                        folder.resolve("hosting"),
                        "localhost",
                        Optional.empty(),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        AtomicReference<@Nullable Hosting> made = new AtomicReference<>();
        Builds builds =
                Builds.open(
                        BuildSettings.in(
                                folder.resolve("builds"),
                                () -> {
                                    Hosting known = made.get();
                                    return known == null ? Set.of() : known.deployedBuilds();
                                }),
                        SourceLimits.DEFAULT);
        this.host =
                InstanceHost.open(HostSettings.of(folder.resolve("instances"), List.of(folder)));
        Fleets fleets = new Fleets(settings.api());
        this.router =
                AppRouter.open(
                        RouterSettings.http(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                        AppRouter.Surroundings.of(fleets));
        this.hosting =
                new Hosting(
                        settings,
                        new AppCatalog(() -> databases.open("$system")),
                        new Hosting.Machinery(
                                builds,
                                host,
                                new NoServices(),
                                new SecretBox(folder.resolve("secrets.key"), new SecureRandom()),
                                new QuotaSettings(
                                        new QuotaRecords(() -> databases.open("$system")),
                                        new EffectiveQuotas(AppQuotas.NONE),
                                        () -> 1)),
                        fleets,
                        this::route,
                        _ -> backlog,
                        TimeSource.SYSTEM,
                        RandomGenerator.getDefault());
        made.set(hosting);
        hosting.start();
    }

    private void route(RoutingTable table) {
        router.setTable(table);
    }

    /** Writes an app's files, and deploys it. */
    DeployResult deploy(String app, String version, Map<String, String> files) throws IOException {
        return hosting.deploy(request(app, version, files), events::add, Cancellation.never());
    }

    /** Applies files of an app that are not of a version. */
    DeployResult deployFiles(String app, Map<String, String> files) throws IOException {
        return hosting.deployFiles(request(app, "none", files), events::add, Cancellation.never());
    }

    private DeployRequest request(String app, String version, Map<String, String> files)
            throws IOException {
        Path sources = Files.createTempDirectory(folder, "sources");
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = sources.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
        return new DeployRequest(
                new DeployRequest.Origin.Folder(sources),
                Optional.of(app),
                Optional.of(version),
                true,
                "test");
    }

    /** Answer to a request to the host of an app. */
    HttpResponse<String> get(String host, String path) throws IOException, InterruptedException {
        int port = router.addresses().getFirst().getPort();
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .header("Host", host + ":" + port)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        hosting.close();
        router.close();
        host.close();
        databases.close();
    }

    /** The services of App Engine are not part of this platform. */
    private static final class NoServices implements ServiceDefinitions {
        @Override
        public Set<String> files() {
            return Set.of();
        }

        @Override
        public Checked check(String project, Map<String, String> texts) {
            return new Checked() {
                @Override
                public Optional<List<String>> queues() {
                    return Optional.empty();
                }

                @Override
                public List<AppliedFile> apply(List<String> former) {
                    return List.of();
                }
            };
        }
    }
}
