package petrichor.server.pages;

import java.time.Instant;
import petrichor.frontends.http.Page;
import petrichor.server.config.Version;

/** {@code GET /version}: the version of the program and of Java, and the time, as JSON. */
public final class VersionPage {
    private VersionPage() {}

    public static Page page() {
        return new Page(
                "GET",
                "/version",
                Page.Access.OPEN,
                Page.Lane.AT_ONCE,
                _ ->
                        Page.Answer.json(
                                200,
                                "{\"name\": \"petrichor\", \"version\": \""
                                        + Version.text()
                                        + "\", \"java\": \""
                                        + Runtime.version()
                                        + "\", \"time\": \""
                                        + Instant.now()
                                        + "\"}\n"));
    }
}
