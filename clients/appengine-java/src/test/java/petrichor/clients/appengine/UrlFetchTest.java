package petrichor.clients.appengine;

import static com.google.appengine.api.urlfetch.FetchOptions.Builder.withDeadline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.appengine.api.urlfetch.HTTPHeader;
import com.google.appengine.api.urlfetch.HTTPMethod;
import com.google.appengine.api.urlfetch.HTTPRequest;
import com.google.appengine.api.urlfetch.HTTPResponse;
import com.google.appengine.api.urlfetch.ResponseTooLargeException;
import com.google.appengine.api.urlfetch.URLFetchService;
import com.google.appengine.api.urlfetch.URLFetchServiceFactory;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code com.google.appengine.api.urlfetch}. The server permits fetches from 127.0.0.2 only. */
class UrlFetchTest {
    private static final String ADDRESS = "127.0.0.2";
    private static final int RESPONSE_BYTES_MAX = 32 << 20;

    private final App app = App.unique();
    private final URLFetchService fetch = URLFetchServiceFactory.getURLFetchService();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer site;

    @BeforeEach
    void start() throws IOException {
        site = HttpServer.create(new InetSocketAddress(ADDRESS, 0), 0);
        site.setExecutor(threads);
        site.createContext("/", UrlFetchTest::echo);
        site.createContext("/redirect", exchange -> {
            exchange.getResponseHeaders().set("Location", exchange.getRequestURI().getQuery());
            answer(exchange, 302, new byte[0]);
        });
        site.createContext("/large", exchange -> answer(exchange, 200, new byte[RESPONSE_BYTES_MAX + 1]));
        site.createContext("/silent", exchange -> {
            try {
                closed.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        });
        site.start();
    }

    @AfterEach
    void stop() {
        closed.countDown();
        site.stop(0);
        threads.shutdownNow();
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        boolean empty = body.length == 0 || exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, empty ? -1 : body.length);
        exchange.getResponseBody().write(empty ? new byte[0] : body);
        exchange.close();
    }

    /** Answers with the request line, the header fields and the body of the request. */
    private static void echo(HttpExchange exchange) throws IOException {
        StringBuilder text = new StringBuilder(exchange.getRequestMethod() + " " + exchange.getRequestURI() + "\n");
        exchange.getRequestHeaders()
                .forEach((name, values) -> text.append(name.toLowerCase() + ": " + values.get(0) + "\n"));
        text.append("\n").append(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        exchange.getResponseHeaders().set("X-Site", "yes");
        answer(exchange, 200, text.toString().getBytes(StandardCharsets.UTF_8));
    }

    private URL url(String path) throws IOException {
        return new URL("http://" + ADDRESS + ":" + site.getAddress().getPort() + path);
    }

    private static String text(HTTPResponse response) {
        return new String(response.getContent(), StandardCharsets.UTF_8);
    }

    @Test
    void everyMethod() throws Exception {
        app.run(() -> {
            for (HTTPMethod method : HTTPMethod.values()) {
                HTTPRequest request = new HTTPRequest(url("/a?b=c"), method, withDeadline(60));
                request.setPayload("hällo".getBytes(StandardCharsets.UTF_8));
                request.addHeader(new HTTPHeader("X-Own", "yes"));
                HTTPResponse response = fetch.fetch(request);
                assertThat(response.getResponseCode()).isEqualTo(200);
                assertThat(response.getHeaders()).anyMatch(header -> header.getName().equalsIgnoreCase("X-Site"));
                if (method != HTTPMethod.HEAD) {
                    assertThat(text(response)).startsWith(method + " /a?b=c\n").contains("x-own: yes\n");
                }
                if (List.of(HTTPMethod.POST, HTTPMethod.PUT, HTTPMethod.PATCH).contains(method)) {
                    assertThat(text(response)).endsWith("\n\nhällo");
                }
            }
        });
    }

    @Test
    void redirects() throws Exception {
        app.run(() -> {
            HTTPResponse followed = fetch.fetch(url("/redirect?/there"));
            assertThat(text(followed)).startsWith("GET /there\n");
            assertThat(followed.getFinalUrl()).isEqualTo(url("/there"));
            HTTPRequest declined =
                    new HTTPRequest(url("/redirect?/there"), HTTPMethod.GET, withDeadline(60).doNotFollowRedirects());
            assertThat(fetch.fetch(declined).getResponseCode()).isEqualTo(302);
        });
    }

    @Test
    void responsesThatAreTooLarge() throws Exception {
        app.run(() -> {
            HTTPRequest whole = new HTTPRequest(url("/large"), HTTPMethod.GET, withDeadline(60).disallowTruncate());
            assertThatThrownBy(() -> fetch.fetch(whole)).isInstanceOf(ResponseTooLargeException.class);
            HTTPRequest part = new HTTPRequest(url("/large"), HTTPMethod.GET, withDeadline(60).allowTruncate());
            assertThat(fetch.fetch(part).getContent()).hasSizeLessThanOrEqualTo(RESPONSE_BYTES_MAX);
        });
    }

    @Test
    void theDeadline() throws Exception {
        app.run(() -> assertThatThrownBy(
                        () -> fetch.fetch(new HTTPRequest(url("/silent"), HTTPMethod.GET, withDeadline(1))))
                .isInstanceOf(IOException.class));
    }

    @Test
    void manyAtOnce() throws Exception {
        app.run(() -> {
            List<Future<HTTPResponse>> fetches = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                fetches.add(fetch.fetchAsync(url("/" + i)));
            }
            for (int i = 0; i < 20; i++) {
                assertThat(text(fetches.get(i).get())).startsWith("GET /" + i + "\n");
            }
        });
    }

    @Test
    void thePlatformAndPrivateAddressesAreOutOfReach() throws Exception {
        app.run(() -> {
            for (String host : List.of("localhost:8081", "[::1]:8081", "169.254.169.254", "10.0.0.1")) {
                assertThatThrownBy(() -> fetch.fetch(new URL("http://" + host + "/")))
                        .as(host)
                        .isInstanceOf(IOException.class);
            }
            assertThatThrownBy(() -> fetch.fetch(url("/redirect?http://" + App.server() + "/")))
                    .isInstanceOf(IOException.class);
        });
    }
}
