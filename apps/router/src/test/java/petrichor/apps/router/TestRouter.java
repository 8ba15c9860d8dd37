package petrichor.apps.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import petrichor.apps.router.log.RequestLog;
import petrichor.apps.router.table.AppRoutes;
import petrichor.apps.router.table.ErrorPages;
import petrichor.apps.router.table.OpenPath;
import petrichor.apps.router.table.RoutingTable;
import petrichor.apps.router.table.ServiceRoutes;
import petrichor.apps.router.table.TrafficSplit;
import petrichor.apps.router.table.UrlHandler;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.router.table.VersionRoutes;

/** A router on a free port with one app, {@code demo}, and instances that tests add. */
final class TestRouter implements AutoCloseable {
    static final VersionName V1 = new VersionName("demo", "default", "v1");
    static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final Duration WITHIN = Duration.ofSeconds(30);

    private final TestBackends backends = new TestBackends();
    private final AppRouter router;
    private final List<TestInstance> instances = new ArrayList<>();

    private TestRouter(
            UnaryOperator<RouterSettings> settings,
            UnaryOperator<AppRouter.Surroundings> surroundings) {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        RouterSettings plain = RouterSettings.http(any);
        RouterSettings withToken =
                new RouterSettings(
                        plain.listeners(), 2, 8443, Optional.of(TOKEN), RouterLimits.DEFAULT);
        this.router =
                AppRouter.open(
                        settings.apply(withToken),
                        surroundings.apply(AppRouter.Surroundings.of(backends)));
        router.setTable(table(version(V1, VersionRoutes.Timeouts.DEFAULT)));
    }

    static TestRouter open() {
        return new TestRouter(UnaryOperator.identity(), UnaryOperator.identity());
    }

    static TestRouter open(
            UnaryOperator<RouterSettings> settings,
            UnaryOperator<AppRouter.Surroundings> surroundings) {
        return new TestRouter(settings, surroundings);
    }

    static TestRouter limited(UnaryOperator<RouterLimits> limits) {
        return new TestRouter(
                settings ->
                        new RouterSettings(
                                settings.listeners(),
                                settings.threads(),
                                settings.httpsPort(),
                                settings.platformToken(),
                                limits.apply(settings.limits())),
                UnaryOperator.identity());
    }

    static TestRouter logging(RequestLog log) {
        return new TestRouter(
                UnaryOperator.identity(),
                plain ->
                        new AppRouter.Surroundings(
                                plain.backends(),
                                plain.headers(),
                                plain.visitors(),
                                log,
                                plain.certificates(),
                                plain.sources()));
    }

    static VersionRoutes version(VersionName name, VersionRoutes.Timeouts timeouts) {
        return version(name, timeouts, UrlHandler.instances());
    }

    static VersionRoutes version(
            VersionName name, VersionRoutes.Timeouts timeouts, UrlHandler... handlers) {
        return new VersionRoutes(name, List.of(handlers), ErrorPages.NONE, timeouts);
    }

    /** All traffic to one version of the default service of {@code demo}. */
    static RoutingTable table(VersionRoutes version) {
        String name = version.name().version();
        return table(new ServiceRoutes("default", Map.of(name, version), TrafficSplit.all(name)));
    }

    static RoutingTable table(ServiceRoutes service) {
        AppRoutes app =
                new AppRoutes(
                        "demo",
                        Map.of("default", service),
                        List.of(),
                        List.of(new OpenPath("/_ah/upload", OpenPath.Server.PLATFORM)));
        return new RoutingTable("localhost", Optional.of("demo"), Map.of("demo", app), Map.of());
    }

    TestInstance instance(String id, TestInstance.Program program) {
        return add(new TestInstance(id, program));
    }

    TestInstance add(TestInstance instance) {
        instances.add(instance);
        backends.add(V1, instance);
        return instance;
    }

    AppRouter router() {
        return router;
    }

    TestBackends backends() {
        return backends;
    }

    InetSocketAddress address() {
        return router.addresses().getFirst();
    }

    String url(String path) {
        return "http://localhost:" + address().getPort() + path;
    }

    RawClient client() throws IOException {
        return new RawClient(address());
    }

    /** One exchange on a connection of its own. */
    RawClient.Response get(String path, String... fields) throws IOException {
        return call("GET", path, fields);
    }

    RawClient.Response call(String method, String path, String... fields) throws IOException {
        try (RawClient client = client()) {
            StringBuilder request = new StringBuilder();
            request.append(method).append(' ').append(path).append(" HTTP/1.1\r\n");
            if (java.util.Arrays.stream(fields).noneMatch(field -> field.startsWith("Host:"))) {
                request.append("Host: demo.localhost\r\n");
            }
            for (String field : fields) {
                request.append(field).append("\r\n");
            }
            return client.send(request + "\r\n").read(method.equals("HEAD"));
        }
    }

    static void waitFor(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + WITHIN.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("the condition holds in time").isLessThan(end);
            Thread.sleep(5);
        }
    }

    /** Closes everything; no request may still use an instance. */
    @Override
    public void close() {
        router.close(Duration.ZERO);
        instances.forEach(TestInstance::close);
        // The client may read the response before the request has ended here.
        long end = System.nanoTime() + WITHIN.toNanos();
        while (router.running() + backends.running() > 0 && System.nanoTime() < end) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(router.running()).as("running requests").isZero();
        assertThat(backends.running()).as("instances that were not released").isZero();
    }
}
