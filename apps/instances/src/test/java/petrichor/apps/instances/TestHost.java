package petrichor.apps.instances;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import petrichor.base.TimeSource;

/** A host with instances of {@code app.py}, in a temporary folder. */
final class TestHost implements AutoCloseable {
    static final Duration WAIT_MAX = Duration.ofSeconds(60);
    static final long MEGABYTE = 1 << 20;

    /** What this machine offers; probed once, as it takes a fraction of a second. */
    private static final Isolation MACHINE = probe();

    final InstanceHost host;
    final InstanceLog log;
    final Path data;
    final Path code;
    private final HttpClient client = HttpClient.newHttpClient();
    private int instances;

    TestHost(Path folder) throws IOException {
        this(folder, MACHINE, HostLimits.ofThisMachine());
    }

    TestHost(Path folder, Isolation isolation, HostLimits limits) throws IOException {
        this(folder, isolation, limits, List.of());
    }

    TestHost(Path folder, List<InetSocketAddress> services) throws IOException {
        this(folder, MACHINE, HostLimits.ofThisMachine(), services);
    }

    private TestHost(
            Path folder, Isolation isolation, HostLimits limits, List<InetSocketAddress> services)
            throws IOException {
        // A user of an instance passes it where there are no namespaces.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        data = Files.createDirectories(folder.resolve("data"));
        Files.writeString(data.resolve("secret"), "secret of the platform");
        code = Files.createDirectories(folder.resolve("apps/code"));
        try (InputStream app = TestHost.class.getResourceAsStream("app.py")) {
            Files.write(code.resolve("app.py"), Objects.requireNonNull(app).readAllBytes());
        }
        log = InstanceLog.open(folder.resolve("log"), LogLimits.DEFAULT);
        HostSettings settings =
                HostSettings.of(folder.resolve("host"), List.of(data))
                        .withLimits(limits)
                        .withServices(services);
        host = InstanceHost.open(settings, isolation, TimeSource.SYSTEM);
    }

    private static Isolation probe() {
        try {
            Path folder = Files.createTempDirectory("isolation");
            Isolation found = Isolation.probe(folder, 0x7000_0000);
            Files.delete(folder);
            return found;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Isolation machine() {
        return MACHINE;
    }

    /**
     * Skips a test if the machine lacks a feature; fails it if the machine should have it. A CI
     * machine that runs the tests as root must have all of them.
     */
    static void require(IsolationFeature... features) {
        for (IsolationFeature feature : features) {
            if (!MACHINE.has(feature)) {
                String sentence = feature + ": " + MACHINE.limitations();
                boolean must =
                        "true".equals(System.getenv("CI"))
                                && System.getProperty("user.name").equals("root");
                if (must) {
                    fail("this machine runs tests as root with CI=true, but lacks %s", sentence);
                }
                Assumptions.abort(sentence);
            }
        }
    }

    /** The spec of an instance that runs the app in this mode. */
    InstanceSpec spec(String... modeAndArguments) {
        List<String> command = new ArrayList<>(List.of("/usr/bin/python3", "app.py"));
        command.addAll(List.of(modeAndArguments));
        return new InstanceSpec(
                new InstanceName("shop", "default", "v1", "i" + ++instances),
                new Command.Program(command),
                InstanceFiles.of(code),
                Map.of("GREETING", "it's a \"test\"\n$HOME"),
                InstanceLimits.DEFAULT.withMemoryBytesMax(128 * MEGABYTE),
                InstanceLifecycle.DEFAULT.withTimeouts(timeouts(Duration.ofSeconds(60))));
    }

    static InstanceTimeouts timeouts(Duration start) {
        return new InstanceTimeouts(
                start, Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofSeconds(30));
    }

    static InstanceSpec with(InstanceSpec spec, InstanceLifecycle lifecycle) {
        return new InstanceSpec(
                spec.name(),
                spec.command(),
                spec.files(),
                spec.environment(),
                spec.limits(),
                lifecycle);
    }

    static InstanceSpec with(InstanceSpec spec, InstanceLimits limits) {
        return new InstanceSpec(
                spec.name(),
                spec.command(),
                spec.files(),
                spec.environment(),
                limits,
                spec.lifecycle());
    }

    static InstanceSpec with(InstanceSpec spec, Map<String, String> environment) {
        return new InstanceSpec(
                spec.name(),
                spec.command(),
                spec.files(),
                environment,
                spec.limits(),
                spec.lifecycle());
    }

    static InstanceSpec with(InstanceSpec spec, Command command) {
        return new InstanceSpec(
                spec.name(),
                command,
                spec.files(),
                spec.environment(),
                spec.limits(),
                spec.lifecycle());
    }

    static InstanceSpec with(InstanceSpec spec, InstanceFiles files) {
        return new InstanceSpec(
                spec.name(),
                spec.command(),
                files,
                spec.environment(),
                spec.limits(),
                spec.lifecycle());
    }

    Instance start(InstanceSpec spec) {
        return switch (host.start(spec, log)) {
            case StartResult.Accepted(Instance instance) -> instance;
            case StartResult.Refused(String reason) -> fail(reason);
        };
    }

    /** Starts an instance and waits until it is ready. */
    Instance ready(InstanceSpec spec) throws InterruptedException {
        Instance instance = start(spec);
        assertThat(started(instance)).isEqualTo(new InstanceState.Ready());
        return instance;
    }

    static InstanceState started(Instance instance) throws InterruptedException {
        return get(instance.started());
    }

    static InstanceState ended(Instance instance) throws InterruptedException {
        return get(instance.ended());
    }

    static InstanceState.Failed failed(Instance instance) throws InterruptedException {
        return ended(instance) instanceof InstanceState.Failed failed
                ? failed
                : fail("it is " + instance.state());
    }

    private static InstanceState get(Future<InstanceState> state) throws InterruptedException {
        try {
            return state.get(WAIT_MAX.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("no state within " + WAIT_MAX, e);
        }
    }

    /** The answer of the app. Parameters are names and values. */
    String ask(Instance instance, String path, String... parameters)
            throws IOException, InterruptedException {
        StringBuilder url = new StringBuilder("http://127.0.0.1:" + instance.port() + path + "?");
        for (int i = 0; i < parameters.length; i += 2) {
            url.append(parameters[i])
                    .append('=')
                    .append(URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8))
                    .append('&');
        }
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(url.toString())).timeout(WAIT_MAX).build();
        return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    static void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + WAIT_MAX.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                fail("not within " + WAIT_MAX + ": " + what);
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** Command lines of all processes of this machine that start with a text. */
    static List<String> processes(String start) {
        List<String> found = new ArrayList<>();
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path each : all) {
                try {
                    String line =
                            Files.readString(each.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                                    .replace('\0', ' ');
                    if (line.startsWith(start)) {
                        found.add(line);
                    }
                } catch (IOException ended) {
                    // It is not one of them.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    /** All lines in the log. */
    List<LogLine> lines() throws InterruptedException {
        LogTail tail = log.tail(Integer.MAX_VALUE);
        List<LogLine> all = new ArrayList<>();
        for (List<LogLine> some = tail.read(Duration.ZERO);
                !some.isEmpty();
                some = tail.read(Duration.ZERO)) {
            all.addAll(some);
        }
        return all;
    }

    String lines(LogLine.Stream stream) throws InterruptedException {
        return lines().stream()
                .filter(line -> line.stream() == stream)
                .map(LogLine::text)
                .collect(Collectors.joining("\n"));
    }

    /** A duration for sleep that no other process of this machine has, to find its process. */
    static String mark() {
        return "86400." + ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
    }

    static boolean isFlood(LogLine line) {
        return line.stream() == LogLine.Stream.STDOUT && line.text().startsWith("line ");
    }

    @Override
    public void close() {
        host.instances().forEach(each -> each.kill("the test is over"));
        host.close();
        log.close();
    }
}
