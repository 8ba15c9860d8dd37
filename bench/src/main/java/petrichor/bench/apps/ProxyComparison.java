package petrichor.bench.apps;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.bench.ServerProcess;
import petrichor.bench.SystemCommand;
import petrichor.bench.apps.AppFigures.Figure;
import petrichor.bench.apps.AppFigures.Target;

/**
 * The server's router beside nginx as reverse proxy, in turn, to the same instance of the same app,
 * which is nginx too. Needs {@code nginx} and {@code wrk}.
 */
final class ProxyComparison {
    static final String PART = "router";

    private static final int CONNECTIONS_MAX = 64;
    private static final int IDLE_CONNECTIONS = 10_000;

    /** Loads for the JIT compiler, which is slow on a busy machine. */
    private static final int WARM_UPS = 5;

    private static final double MEGABYTES_PER_MEBIBYTE = (1 << 20) / 1e6;
    private static final Target RATE = new Target.AtLeast(0.7);
    private static final Target ADDED_MS = new Target.AtMost(1);
    private static final Target IDLE_MB = new Target.AtMost(200);

    private static final Pattern MEDIAN = Pattern.compile("50%\\s+([0-9.]+)(us|ms|s)");
    private static final Pattern PER_SECOND = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
    private static final Pattern ERRORS =
            Pattern.compile("(Socket errors|Non-2xx or 3xx responses).*");

    private final AppsRun run;

    private record Measured(double perSecond, double medianMs) {}

    /** A way to the app. */
    private record Contender(String name, int port, List<Measured> rounds) {
        Contender(String name, int port) {
            this(name, port, new ArrayList<>());
        }
    }

    private ProxyComparison(AppsRun run) {
        this.run = run;
    }

    static void measure(AppsRun run) throws Exception {
        new ProxyComparison(run).measure();
    }

    private void measure() throws Exception {
        Path origin = MeasuredApps.origin(run.folder().resolve("origin"));
        Path folder = Files.createDirectories(run.folder().resolve("proxy"));
        try (HostedApps apps = HostedApps.on(run.folder())) {
            apps.deploy("origin", "v1", origin);
            int backend = apps.instancePort("origin");
            int proxy = ServerProcess.freePort();
            Path config = folder.resolve("nginx.conf");
            Files.writeString(config, proxyConfig(folder, proxy, backend));
            try (ServerProcess _ =
                    ServerProcess.start(
                            List.of(
                                    MeasuredApps.nginx().toString(),
                                    "-p",
                                    folder.toString(),
                                    "-c",
                                    config.toString()),
                            proxy,
                            Map.of())) {
                for (int i = 0; i < WARM_UPS; i++) {
                    Measured _ = load(apps.routerPort(), CONNECTIONS_MAX);
                }
                for (int connections : new int[] {1, 16, CONNECTIONS_MAX}) {
                    compare(
                            connections,
                            new Contender("direct", backend),
                            new Contender("nginx", proxy),
                            new Contender("router", apps.routerPort()));
                }
            }
            idle(apps);
        }
    }

    /** With the header fields that the router adds, its log, and pooled connections. */
    private static String proxyConfig(Path folder, int port, int backend) {
        return """
        daemon off; pid %1$s/nginx.pid; error_log %1$s/error.log;
        worker_processes 2;
        events { worker_connections 20000; }
        http {
          keepalive_requests 1000000000; keepalive_timeout 300s;
          client_body_temp_path %1$s/body; proxy_temp_path %1$s/proxy;
          fastcgi_temp_path %1$s/fastcgi; uwsgi_temp_path %1$s/uwsgi;
          scgi_temp_path %1$s/scgi;
          log_format requests escape=json '{"time":"$time_iso8601","trace":"$request_id",'
            '"method":"$request_method","host":"$host","path":"$request_uri",'
            '"protocol":"$server_protocol","status":$status,'
            '"request_bytes":$request_length,"response_bytes":$body_bytes_sent,'
            '"latency":$request_time,"client":"$remote_addr",'
            '"user_agent":"$http_user_agent"}';
          access_log %1$s/requests.jsonl requests buffer=64k flush=1s;
          upstream app {
            server 127.0.0.1:%3$d; keepalive 128; keepalive_requests 1000000000; }
          server { listen 127.0.0.1:%2$d backlog=4096; location / {
            proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header X-Forwarded-Host $host;
            proxy_set_header traceparent $request_id; } }
        }
        """
                .formatted(folder, port, backend);
    }

    private void compare(int connections, Contender direct, Contender nginx, Contender router)
            throws IOException {
        List<Contender> all = List.of(direct, nginx, router);
        for (int round = 1; round <= run.rounds(); round++) {
            run.say(PART, round);
            for (Contender each : all) {
                each.rounds().add(load(each.port(), connections));
            }
        }
        List<Double> ratios = new ArrayList<>();
        List<Double> added = new ArrayList<>();
        for (int i = 0; i < run.rounds(); i++) {
            Measured routed = router.rounds().get(i);
            ratios.add(routed.perSecond() / nginx.rounds().get(i).perSecond());
            added.add(routed.medianMs() - direct.rounds().get(i).medianMs());
        }
        String of = ", " + connections + (connections == 1 ? " connection" : " connections");
        for (Contender each : all) {
            run.figures()
                    .add(
                            new Figure(
                                    PART,
                                    each.name() + of,
                                    "/s",
                                    AppFigures.NONE,
                                    each.rounds().stream().map(Measured::perSecond).toList()));
        }
        run.figures().add(new Figure(PART, "router / nginx" + of, "", RATE, ratios));
        run.figures().add(new Figure(PART, "added to the median" + of, "ms", ADDED_MS, added));
    }

    private Measured load(int port, int connections) throws IOException {
        String output =
                SystemCommand.run(
                        "wrk",
                        "--latency",
                        "-t",
                        connections == 1 ? "1" : "2",
                        "-c",
                        Integer.toString(connections),
                        "-d",
                        Math.max(1, run.length().toSeconds()) + "s",
                        "http://127.0.0.1:" + port + "/a/path?with=query");
        Matcher errors = ERRORS.matcher(output);
        Matcher rate = PER_SECOND.matcher(output);
        Matcher median = MEDIAN.matcher(output);
        if (errors.find() || !rate.find() || !median.find()) {
            throw new IOException("port " + port + ": " + output);
        }
        double milliseconds =
                switch (median.group(2)) {
                    case "us" -> 1e-3;
                    case "ms" -> 1;
                    default -> 1e3;
                };
        return new Measured(
                Double.parseDouble(rate.group(1)),
                Double.parseDouble(median.group(1)) * milliseconds);
    }

    /** Connections that each have had one request. */
    private void idle(HostedApps apps) throws IOException {
        double before = apps.server().residentMiB();
        List<SocketChannel> open = new ArrayList<>();
        try {
            ByteBuffer request =
                    ByteBuffer.wrap("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));
            ByteBuffer response = ByteBuffer.allocate(4096);
            for (int i = 0; i < IDLE_CONNECTIONS; i++) {
                SocketChannel channel =
                        SocketChannel.open(
                                new InetSocketAddress(
                                        InetAddress.getLoopbackAddress(), apps.routerPort()));
                open.add(channel);
                channel.write(request.duplicate());
                if (channel.read(response.clear()) <= 0) {
                    throw new IOException("connection " + i + " was closed");
                }
            }
            double added = apps.server().residentMiB() - before;
            run.figures()
                    .add(
                            new Figure(
                                    PART,
                                    "added by 10,000 idle connections",
                                    "MB",
                                    IDLE_MB,
                                    List.of(added * MEGABYTES_PER_MEBIBYTE)));
        } finally {
            for (SocketChannel each : open) {
                each.close();
            }
        }
    }
}
