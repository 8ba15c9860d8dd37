package petrichor.kv.dynamodb;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import petrichor.kv.StoreUrl;

/**
 * Proxy before a real DynamoDB that injects faults as under load and over bad networks: requests of
 * the operation that a test names are answered with a failure, answered without having been carried
 * out, or carried out without a response.
 */
final class DynamoDbProxy implements AutoCloseable {
    /** The fault applied to one request. */
    sealed interface Fault {
        /** Carries out the request, and closes the connection before the response. */
        record LosesAnswer() implements Fault {}

        /** Does not carry out the request. */
        record Refuses(int status, String code) implements Fault {}

        /** Does not carry out the request, and returns it as unprocessed. */
        record LeavesOver() implements Fault {}
    }

    private static final Set<String> NOT_PASSED_ON =
            Set.of("connection", "content-length", "expect", "host", "upgrade");

    private final HttpServer proxy;
    private final HttpClient client = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final StoreUrl behind;
    private final AtomicInteger left = new AtomicInteger();
    private volatile String operation = "";
    private volatile @Nullable Fault fault;

    DynamoDbProxy(String url) {
        this(url, null);
    }

    /**
     * @param tls the server side of TLS, which requires client certificates; null for plain HTTP
     */
    DynamoDbProxy(String url, @Nullable SSLContext tls) {
        this.behind = StoreUrl.parse(url);
        InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try {
            if (tls == null) {
                proxy = HttpServer.create(here, 0);
            } else {
                HttpsServer encrypted = HttpsServer.create(here, 0);
                encrypted.setHttpsConfigurator(
                        new HttpsConfigurator(tls) {
                            @Override
                            public void configure(HttpsParameters parameters) {
                                SSLParameters wanted = tls.getDefaultSSLParameters();
                                wanted.setNeedClientAuth(true);
                                parameters.setSSLParameters(wanted);
                            }
                        });
                proxy = encrypted;
            }
        } catch (IOException failed) {
            throw new java.io.UncheckedIOException(failed);
        }
        proxy.setExecutor(threads);
        proxy.createContext("/", this::pass);
        proxy.start();
    }

    /** The address of the same store through this proxy. */
    String url() {
        return "dynamodb://%s:%s@127.0.0.1:%d/%s"
                .formatted(
                        behind.user().orElseThrow(),
                        behind.password().orElseThrow(),
                        proxy.getAddress().getPort(),
                        behind.name());
    }

    /** Applies a fault to the next requests of an operation such as {@code PutItem}. */
    void next(int requests, String name, Fault what) {
        operation = name;
        fault = what;
        left.set(requests);
    }

    /** Number of these requests still to come. */
    int left() {
        return left.get();
    }

    private void pass(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String target = exchange.getRequestHeaders().getFirst("X-Amz-Target");
            Fault now = fault;
            if (now == null || !isMeant(target)) {
                answer(exchange, passedOn(exchange, body));
                return;
            }
            switch (now) {
                case Fault.LosesAnswer() -> passedOn(exchange, body);
                case Fault.Refuses(int status, String code) ->
                        answer(
                                exchange,
                                status,
                                "{\"__type\":\"com.amazonaws.dynamodb.v20120810#"
                                        + code
                                        + "\",\"message\":\"so the test wants it\"}");
                case Fault.LeavesOver() -> answer(exchange, 200, leftOver(new String(body, UTF_8)));
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isMeant(@Nullable String target) {
        return target != null
                && target.endsWith("." + operation)
                && left.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
    }

    /** Returns the whole request as unprocessed. */
    private String leftOver(String body) {
        String requests = body.substring(body.indexOf(':') + 1, body.length() - 1);
        return operation.equals("BatchGetItem")
                ? "{\"Responses\":{},\"UnprocessedKeys\":" + requests + "}"
                : "{\"UnprocessedItems\":" + requests + "}";
    }

    private HttpResponse<byte[]> passedOn(HttpExchange exchange, byte[] body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(
                                URI.create(
                                        "http://127.0.0.1:"
                                                + behind.nodes().getFirst().portOr(0)
                                                + exchange.getRequestURI()))
                        .method(
                                exchange.getRequestMethod(),
                                HttpRequest.BodyPublishers.ofByteArray(body));
        exchange.getRequestHeaders()
                .forEach(
                        (name, values) -> {
                            if (!NOT_PASSED_ON.contains(name.toLowerCase(java.util.Locale.ROOT))) {
                                values.forEach(value -> request.header(name, value));
                            }
                        });
        return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private static void answer(HttpExchange exchange, HttpResponse<byte[]> answer)
            throws IOException {
        List<String> checksum = new ArrayList<>(answer.headers().allValues("x-amz-crc32"));
        if (!checksum.isEmpty()) {
            exchange.getResponseHeaders().put("x-amz-crc32", checksum);
        }
        answer(exchange, answer.statusCode(), answer.body());
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        answer(exchange, status, body.getBytes(UTF_8));
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/x-amz-json-1.0");
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        proxy.stop(0);
        threads.shutdownNow();
        client.close();
    }
}
