package guestbook;

import com.google.cloud.NoCredentials;
import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.DatastoreOptions;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;

/**
 * Serves a guestbook with the JDK's HTTP server. {@code test} signs it from many threads instead.
 */
public final class Main {
    private static final int FORM_BYTES_MAX = 16 << 10;
    private static final int SHOWN = 20;

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        Datastore datastore = connect();
        if (arguments.length > 0 && arguments[0].equals("test")) {
            ManySigners.run(datastore);
            return;
        }
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8091"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        Guestbook guestbook = new Guestbook(datastore, "welcome");
        server.createContext("/", exchange -> answer(exchange, guestbook));
        server.start();
        System.out.println("http://127.0.0.1:" + port);
    }

    /**
     * Connects to DATASTORE_EMULATOR_HOST; without it, the client would connect to Google's
     * service.
     */
    private static Datastore connect() {
        String project = System.getenv().getOrDefault("DATASTORE_PROJECT_ID", "demo");
        DatastoreOptions.Builder options = DatastoreOptions.newBuilder().setProjectId(project);
        String host = System.getenv("DATASTORE_EMULATOR_HOST");
        if (host != null) {
            options.setHost(host).setCredentials(NoCredentials.getInstance());
        }
        return options.build().getService();
    }

    private static void answer(HttpExchange exchange, Guestbook guestbook) throws IOException {
        try {
            if (exchange.getRequestMethod().equals("POST")) {
                Map<String, String> form = form(exchange);
                String written = form.getOrDefault("text", "").strip();
                if (!written.isEmpty()) {
                    guestbook.sign(form.getOrDefault("author", "somebody"), written);
                }
                exchange.getResponseHeaders().set("Location", "/");
                exchange.sendResponseHeaders(303, -1);
                return;
            }
            String text = Page.of(guestbook.count(), guestbook.newest(SHOWN));
            byte[] page = text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
        } finally {
            exchange.close();
        }
    }

    private static Map<String, String> form(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(FORM_BYTES_MAX);
        Map<String, String> form = new HashMap<>();
        for (String field : new String(body, StandardCharsets.UTF_8).split("&")) {
            int equals = field.indexOf('=');
            if (equals > 0) {
                form.put(
                        field.substring(0, equals),
                        URLDecoder.decode(field.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return form;
    }
}
