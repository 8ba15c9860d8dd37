package petrichor.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.Tickets;

/** Posts to apps with a target, with a ticket for each request. Thread-safe. */
final class AppRequests implements AutoCloseable {
    private static final Duration CONNECT_MAX = Duration.ofSeconds(5);

    /** As long as a request of App Engine's may take. */
    private static final Duration ANSWER_MAX = Duration.ofMinutes(1);

    private static final int OK = 200;
    private static final int OK_END = 300;

    private final Map<String, URI> targets;
    private final Tickets tickets;

    /** Created by the first request, because it has threads; null before. */
    private @Nullable HttpClient client;

    private boolean closed;

    /**
     * @param targets where apps receive requests
     */
    AppRequests(Map<String, URI> targets, Tickets tickets) {
        this.targets = targets;
        this.tickets = tickets;
    }

    private synchronized HttpClient client() throws IOException {
        if (closed) {
            throw new IOException("the server stops");
        }
        HttpClient known = client;
        if (known == null) {
            known =
                    HttpClient.newBuilder()
                            .version(HttpClient.Version.HTTP_1_1)
                            .connectTimeout(CONNECT_MAX)
                            .build();
            client = known;
        }
        return known;
    }

    boolean reaches(String project) {
        return targets.containsKey(project);
    }

    /**
     * Whether the app has accepted the request; false without a target. Blocks until it answers.
     *
     * @param path encoded
     */
    boolean post(String project, String path, String contentType, byte[] body) {
        URI target = targets.get(project);
        if (target == null) {
            return false;
        }
        String ticket = tickets.issue(CallingApp.of(project), ANSWER_MAX);
        try {
            HttpRequest request =
                    HttpRequest.newBuilder(target.resolve(path))
                            .timeout(ANSWER_MAX)
                            .header("Content-Type", contentType)
                            .header(Tickets.HEADER, ticket)
                            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                            .build();
            int status =
                    client().send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            return status >= OK && status < OK_END;
        } catch (IOException unreachable) {
            return false;
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            tickets.revoke(ticket);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (client != null) {
            client.shutdownNow();
        }
    }
}
