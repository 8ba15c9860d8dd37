package petrichor.server;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.Tickets;
import petrichor.services.mail.Inbox;

/** Posts incoming mails to {@code /_ah/mail/ADDRESS} of apps with a target. Thread-safe. */
final class AppMailDelivery implements Inbox.Delivery, AutoCloseable {
    private static final Duration CONNECT_MAX = Duration.ofSeconds(5);

    /** As long as a request of App Engine's may take. */
    private static final Duration ANSWER_MAX = Duration.ofMinutes(1);

    private static final int OK = 200;
    private static final int OK_END = 300;

    private final Map<String, URI> targets;
    private final Tickets tickets;
    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(CONNECT_MAX)
                    .build();

    AppMailDelivery(Map<String, URI> targets, Tickets tickets) {
        this.targets = targets;
        this.tickets = tickets;
    }

    @Override
    public boolean accepts(String project) {
        return targets.containsKey(project);
    }

    @Override
    public boolean deliver(String project, String address, byte[] message) {
        URI target = targets.get(project);
        if (target == null) {
            return false;
        }
        String path =
                "/_ah/mail/"
                        + URLEncoder.encode(address, StandardCharsets.UTF_8)
                                .replace("+", "%20")
                                .replace("%40", "@");
        String ticket = tickets.issue(CallingApp.of(project), ANSWER_MAX);
        try {
            HttpRequest request =
                    HttpRequest.newBuilder(target.resolve(path))
                            .timeout(ANSWER_MAX)
                            .header("Content-Type", "message/rfc822")
                            .header(Tickets.HEADER, ticket)
                            .POST(HttpRequest.BodyPublishers.ofByteArray(message))
                            .build();
            int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            return status >= OK && status < OK_END;
        } catch (IOException e) {
            return false; // the sending server tries again
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            tickets.revoke(ticket);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
