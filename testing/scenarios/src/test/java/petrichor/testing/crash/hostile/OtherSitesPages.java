package petrichor.testing.crash.hostile;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;

/** Requests that a page of another site can make a browser send: stop, reset, write. */
final class OtherSitesPages implements Attack {
    @Override
    public void strike(Target target) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            for (String path :
                    List.of("/shutdown", "/reset", "/v1/projects/" + Target.PROJECT + ":commit")) {
                int status =
                        http.send(
                                        target.page(path)
                                                .header("Origin", "http://evil.example")
                                                .header("Content-Type", "text/plain")
                                                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                                .build(),
                                        HttpResponse.BodyHandlers.discarding())
                                .statusCode();
                if (status < 400) {
                    throw new AssertionError(path + " was carried out for a page");
                }
            }
        }
    }
}
