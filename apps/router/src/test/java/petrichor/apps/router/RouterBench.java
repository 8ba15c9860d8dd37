package petrichor.apps.router;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.apps.router.table.VersionRoutes;

/**
 * The router beside nginx as reverse proxy, to the same backend, in alternating rounds: throughput
 * and median latency, and the memory of idle connections. Needs {@code nginx} and {@code wrk}.
 *
 * <pre>java -cp … petrichor.apps.router.RouterBench [ROUNDS [SECONDS]]</pre>
 */
final class RouterBench {
    private static final int IDLE_CONNECTIONS = 10_000;
    private static final int ROUNDS = 5;
    private static final int SECONDS = 5;

    /** For the JIT compiler. */
    private static final int WARM_UP_SECONDS = 10;

    private static final Pattern MEDIAN = Pattern.compile("50%\\s+([0-9.]+)(us|ms|s)");
    private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
    private static final Pattern ERRORS =
            Pattern.compile("(Socket errors|Non-2xx or 3xx responses).*");
    private static final PrintStream OUT = System.out;

    private RouterBench() {}

    private record Measured(double perSecond, double medianUs) {}

    private record Peer(String name, int port, List<Measured> rounds) {
        double rate() {
            return median(rounds.stream().mapToDouble(Measured::perSecond).toArray());
        }

        double latencyUs() {
            return median(rounds.stream().mapToDouble(Measured::medianUs).toArray());
        }

        private static double median(double[] values) {
            Arrays.sort(values);
            return values[values.length / 2];
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 3 && args[0].equals("serve")) {
            serve(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
            return;
        }
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : ROUNDS;
        int seconds = args.length > 1 ? Integer.parseInt(args[1]) : SECONDS;
        Path folder = Files.createTempDirectory("router-bench-");
        int backend = freePort();
        int proxy = freePort();
        int routed = freePort();
        Process origin = nginx(folder.resolve("origin"), originConfig(backend));
        Process peer = nginx(folder.resolve("proxy"), proxyConfig(proxy, backend));
        Process router = router(routed, backend);
        try {
            for (int port : new int[] {backend, proxy, routed}) {
                waitFor(port);
            }
            wrk(routed, 64, WARM_UP_SECONDS);
            for (int connections : new int[] {1, 16, 64}) {
                compare(connections, rounds, seconds, backend, proxy, routed);
            }
            idle(router.pid(), routed);
        } finally {
            for (Process each : List.of(router, peer, origin)) {
                each.destroy();
                each.waitFor();
            }
        }
    }

    /** The router as a process of its own. */
    private static void serve(int port, int backend) throws InterruptedException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        Backend only =
                new Backend(TestRouter.V1, "origin", new InetSocketAddress(loopback, backend));
        Backends backends =
                new Backends() {
                    @Override
                    public CompletableFuture<Acquisition> acquire(Wanted wanted) {
                        return CompletableFuture.completedFuture(new Acquired(only));
                    }

                    @Override
                    public void release(Backend backend, Use use) {
                        // the origin is always there
                    }
                };
        try (AppRouter router =
                AppRouter.open(
                        RouterSettings.http(new InetSocketAddress(loopback, port)),
                        AppRouter.Surroundings.of(backends))) {
            router.setTable(
                    TestRouter.table(
                            TestRouter.version(TestRouter.V1, VersionRoutes.Timeouts.DEFAULT)));
            Thread.currentThread().join();
        }
    }

    private static void compare(
            int connections, int rounds, int seconds, int backend, int proxy, int routed)
            throws IOException, InterruptedException {
        List<Peer> peers =
                List.of(
                        new Peer("direct", backend, new ArrayList<>()),
                        new Peer("nginx", proxy, new ArrayList<>()),
                        new Peer("router", routed, new ArrayList<>()));
        for (int round = 0; round < rounds; round++) {
            for (Peer each : peers) {
                each.rounds().add(wrk(each.port(), connections, seconds));
            }
        }
        for (Peer each : peers) {
            OUT.printf(
                    Locale.ROOT,
                    "%3d connections  %-6s  %9.0f requests/s  p50 %7.0f us%n",
                    connections,
                    each.name(),
                    each.rate(),
                    each.latencyUs());
        }
        OUT.printf(
                Locale.ROOT,
                "%3d connections  router/nginx %.2f, router adds %.0f us (nginx %.0f us)%n",
                connections,
                peers.get(2).rate() / peers.get(1).rate(),
                peers.get(2).latencyUs() - peers.get(0).latencyUs(),
                peers.get(1).latencyUs() - peers.get(0).latencyUs());
    }

    private static Measured wrk(int port, int connections, int seconds)
            throws IOException, InterruptedException {
        Process wrk =
                new ProcessBuilder(
                                "wrk",
                                "--latency",
                                "-t",
                                connections == 1 ? "1" : "2",
                                "-c",
                                Integer.toString(connections),
                                "-d",
                                seconds + "s",
                                "http://127.0.0.1:" + port + "/a/path?with=query")
                        .redirectErrorStream(true)
                        .start();
        String output = new String(wrk.getInputStream().readAllBytes(), US_ASCII);
        wrk.waitFor();
        Matcher errors = ERRORS.matcher(output);
        Matcher rate = RATE.matcher(output);
        Matcher median = MEDIAN.matcher(output);
        if (errors.find() || !rate.find() || !median.find()) {
            throw new IllegalStateException(output);
        }
        double unit =
                switch (median.group(2)) {
                    case "us" -> 1;
                    case "ms" -> 1e3;
                    default -> 1e6;
                };
        return new Measured(
                Double.parseDouble(rate.group(1)), Double.parseDouble(median.group(1)) * unit);
    }

    private static void idle(long pid, int port) throws IOException, InterruptedException {
        long before = residentBytes(pid);
        List<SocketChannel> open = new ArrayList<>();
        try {
            ByteBuffer request =
                    ByteBuffer.wrap("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
            ByteBuffer response = ByteBuffer.allocate(4096);
            for (int i = 0; i < IDLE_CONNECTIONS; i++) {
                SocketChannel channel =
                        SocketChannel.open(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                open.add(channel);
                channel.write(request.duplicate());
                if (channel.read(response.clear()) <= 0) {
                    throw new IllegalStateException("connection " + i + " was closed");
                }
            }
            long after = residentBytes(pid);
            OUT.printf(
                    Locale.ROOT,
                    "%d idle connections: process %.0f MB, %.0f MB more than without%n",
                    IDLE_CONNECTIONS,
                    after / 1e6,
                    (after - before) / 1e6);
        } finally {
            for (SocketChannel each : open) {
                each.close();
            }
        }
    }

    private static long residentBytes(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
            }
        }
        throw new IllegalStateException("no VmRSS");
    }

    private static Process router(int port, int backend) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-XX:+UseParallelGC",
                        "-Xms24m",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RouterBench.class.getName(),
                        "serve",
                        Integer.toString(port),
                        Integer.toString(backend))
                .inheritIO()
                .start();
    }

    private static Process nginx(Path folder, String server) throws IOException {
        Files.createDirectories(folder);
        Path config = folder.resolve("nginx.conf");
        Files.writeString(
                config,
                """
                daemon off; pid %1$s/nginx.pid; error_log %1$s/error.log;
                worker_processes 2;
                events { worker_connections 20000; }
                http {
                  access_log off; keepalive_requests 1000000000; keepalive_timeout 300s;
                  client_body_temp_path %1$s/body; proxy_temp_path %1$s/proxy;
                  fastcgi_temp_path %1$s/fastcgi; uwsgi_temp_path %1$s/uwsgi;
                  scgi_temp_path %1$s/scgi;
                  %2$s
                }
                """
                        .formatted(folder, server));
        return new ProcessBuilder("nginx", "-p", folder.toString(), "-c", config.toString())
                .inheritIO()
                .start();
    }

    private static String originConfig(int port) {
        return """
        server { listen 127.0.0.1:%d backlog=4096; location / {
          default_type text/plain; return 200 "%s"; } }
        """
                .formatted(port, "0123456789".repeat(50));
    }

    /** With the header fields that the router adds, and pooled connections. */
    private static String proxyConfig(int port, int backend) {
        return """
        upstream origin { server 127.0.0.1:%2$d; keepalive 128; keepalive_requests 1000000000; }
        server { listen 127.0.0.1:%1$d backlog=4096; location / {
          proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
          proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr;
          proxy_set_header X-Forwarded-Proto $scheme; proxy_set_header X-Forwarded-Host $host;
          proxy_set_header traceparent $request_id; } }
        """
                .formatted(port, backend);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void waitFor(int port) throws InterruptedException {
        TestRouter.waitFor(
                () -> {
                    try (SocketChannel channel =
                            SocketChannel.open(
                                    new InetSocketAddress(
                                            InetAddress.getLoopbackAddress(), port))) {
                        return channel.isConnected();
                    } catch (IOException refused) {
                        return false;
                    }
                });
    }
}
