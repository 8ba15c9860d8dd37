package petrichor.server.apps;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import petrichor.frontends.appengine.Tickets;
import petrichor.services.queues.dispatch.AppTargets;

/** Posts to apps, with a ticket for each request. Thread-safe. */
final class AppRequests implements AutoCloseable {
    private static final Duration CONNECT_MAX = Duration.ofSeconds(5);

    /** As long as a request of App Engine's may take. */
    private static final Duration ANSWER_MAX = Duration.ofMinutes(1);

    private static final int OK = 200;
    private static final int OK_END = 300;

    private final AppTargets apps;

    /** Created by the first request, because it has threads; null before. */
    private @Nullable HttpClient client;

    private boolean closed;

    AppRequests(AppTargets apps) {
        this.apps = apps;
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
        return apps.reaches(project);
    }

    /**
     * Whether the app has accepted the request; false if it cannot be reached. Blocks until it
     * answers.
     *
     * @param path encoded
     */
    boolean post(String project, String path, String contentType, byte[] body) {
        AppTargets.Place place = apps.acquire(project, "", ANSWER_MAX).join().orElse(null);
        if (place == null) {
            return false;
        }
        try (place) {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(place.base().resolve(path))
                            .timeout(ANSWER_MAX)
                            .header("Content-Type", contentType)
                            .header(Tickets.HEADER, place.ticket())
                            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
            place.headers().forEach(request::header);
            int status =
                    client().send(request.build(), HttpResponse.BodyHandlers.discarding())
                            .statusCode();
            return status >= OK && status < OK_END;
        } catch (IOException unreachable) {
            return false;
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return false;
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
