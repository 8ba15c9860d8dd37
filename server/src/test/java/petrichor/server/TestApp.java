package petrichor.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;

/** An app on a free port of this process, which receives requests of the server. */
final class TestApp implements AutoCloseable {
    private static final int BACKLOG = 1_000;
    private static final int ARRIVES_WITHIN_S = 120;

    private final HttpServer http;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
    private final Set<String> paths = ConcurrentHashMap.newKeySet();

    /** Returns the status of the answer; called on many threads. */
    private volatile ToIntFunction<Arrival> handler = _ -> 200;

    /**
     * A request.
     *
     * @param headers with lower-case names
     * @param status of the answer
     */
    record Arrival(String path, Map<String, String> headers, String body, int status) {
        Arrival answered(int code) {
            return new Arrival(path, headers, body, code);
        }

        String header(String name) {
            return headers.getOrDefault(name, "");
        }
    }

    TestApp() {
        try {
            http =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        http.setExecutor(threads);
        http.createContext("/", this::answer);
        http.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        Map<String, String> headers = new HashMap<>();
        exchange.getRequestHeaders()
                .forEach(
                        (name, values) ->
                                headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
        Arrival arrival =
                new Arrival(
                        exchange.getRequestURI().toString(),
                        headers,
                        new String(
                                exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
                        0);
        paths.add(arrival.path());
        int status = handler.applyAsInt(arrival);
        arrivals.add(arrival.answered(status));
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    void handle(ToIntFunction<Arrival> other) {
        handler = other;
    }

    /** The paths of all requests that have arrived. */
    Set<String> arrived() {
        return Set.copyOf(paths);
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort());
    }

    /** Waits for the next request. */
    Arrival next() throws InterruptedException {
        Arrival next = arrivals.poll(ARRIVES_WITHIN_S, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no request arrived");
        }
        return next;
    }

    /** Waits for a request that was answered with this status. */
    Arrival next(int status) throws InterruptedException {
        Arrival next = next();
        while (next.status() != status) {
            next = next();
        }
        return next;
    }

    @Override
    public void close() {
        http.stop(0);
        threads.shutdownNow();
    }
}
