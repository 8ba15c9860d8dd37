package petrichor.server.apps;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import petrichor.services.mail.Inbox;

/**
 * Posts incoming mails to {@code /_ah/mail/ADDRESS} of apps with a target; the sending server tries
 * again if an app refuses one. Thread-safe.
 */
final class AppMailDelivery implements Inbox.Delivery {
    private final AppRequests apps;

    AppMailDelivery(AppRequests apps) {
        this.apps = apps;
    }

    @Override
    public boolean accepts(String project) {
        return apps.reaches(project);
    }

    @Override
    public boolean deliver(String project, String address, byte[] message) {
        String path =
                "/_ah/mail/"
                        + URLEncoder.encode(address, StandardCharsets.UTF_8)
                                .replace("+", "%20")
                                .replace("%40", "@");
        return apps.post(project, path, "message/rfc822", message);
    }
}
