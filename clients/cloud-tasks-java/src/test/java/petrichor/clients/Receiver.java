package petrichor.clients;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server that records requests, and fails the first one to each path that begins with /fails. */
final class Receiver implements AutoCloseable {
    /** To which clients/run permits requests. */
    static final String FETCHED_ADDRESS = "127.0.0.2";

    private static final long ARRIVAL_SECONDS_MAX = 60;

    record Arrival(String method, String uri, Headers headers, byte[] body) {
        String header(String name) {
            return headers.getFirst(name);
        }
    }

    private final LinkedBlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
    private final Set<String> failed = ConcurrentHashMap.newKeySet();
    private final HttpServer server;

    private Receiver(InetSocketAddress address) throws IOException {
        server = HttpServer.create(address, 0);
        server.createContext("/", this::receive);
        server.start();
    }

    static Receiver open() throws IOException {
        return new Receiver(new InetSocketAddress(FETCHED_ADDRESS, 0));
    }

    /** The app to which the server sends tasks of its queues. */
    static Receiver app() throws IOException {
        int port = Integer.parseInt(TasksFixture.variable("PETRICHOR_TEST_PUSH_TASKS"));
        return new Receiver(new InetSocketAddress("127.0.0.1", port));
    }

    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            byte[] body = exchange.getRequestBody().readAllBytes();
            boolean fails = path.startsWith("/fails") && failed.add(path);
            exchange.sendResponseHeaders(fails ? 503 : 200, -1);
            arrivals.add(new Arrival(
                    exchange.getRequestMethod(),
                    exchange.getRequestURI().toString(),
                    exchange.getRequestHeaders(),
                    body));
        }
    }

    String url(String path) {
        return "http://" + FETCHED_ADDRESS + ":" + server.getAddress().getPort() + path;
    }

    Arrival next() throws InterruptedException {
        Arrival next = arrivals.poll(ARRIVAL_SECONDS_MAX, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no request arrived");
        }
        return next;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
