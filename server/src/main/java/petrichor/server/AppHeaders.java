package petrichor.server;

import io.netty.handler.codec.http.HttpHeaders;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import petrichor.apps.router.RequestHeaders;
import petrichor.apps.router.RequestView;
import petrichor.apps.router.Visitor;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.Tickets;

/**
 * The header fields that App Engine's front end adds to requests of apps, with a ticket that is
 * valid until the request ends. Thread-safe; does not block.
 */
final class AppHeaders implements RequestHeaders {
    /** As long as a request with basic or manual scaling may take. */
    private static final Duration REQUEST_MAX = Duration.ofHours(24);

    private static final RequestHeaders FORWARDED = RequestHeaders.forwarded();

    private final Tickets tickets;
    private final String domain;

    /** By the id of the request. */
    private final Map<String, String> issued = new ConcurrentHashMap<>();

    AppHeaders(Tickets tickets, String domain) {
        this.tickets = tickets;
        this.domain = domain;
    }

    @Override
    public void set(RequestView request, HttpHeaders headers) {
        FORWARDED.set(request, headers);
        var version = request.version();
        String origin = (request.client().secure() ? "https://" : "http://") + request.authority();
        String ticket =
                tickets.issue(
                        new CallingApp(version.app(), version.service(), version.version(), origin),
                        REQUEST_MAX);
        issued.put(request.ids().request(), ticket);
        headers.set(Tickets.HEADER, ticket);
        headers.set("X-Appengine-Request-Log-Id", request.ids().request());
        headers.set("X-Appengine-User-IP", request.client().address());
        headers.set("X-Appengine-Remote-Addr", request.client().address());
        headers.set("X-Appengine-Https", request.client().secure() ? "on" : "off");
        headers.set("X-Appengine-Default-Version-Hostname", version.app() + "." + domain);
        headers.set("X-Appengine-Country", "ZZ");
        if (request.sender().visitor() instanceof Visitor.SignedIn(var id, var email, var admin)) {
            headers.set("X-Appengine-User-Id", id);
            headers.set("X-Appengine-User-Email", email);
            headers.set("X-Appengine-User-Nickname", email);
            headers.set("X-Appengine-User-Is-Admin", admin ? "1" : "0");
            headers.set("X-Appengine-Auth-Domain", email.substring(email.indexOf('@') + 1));
        }
    }

    @Override
    public void ended(RequestView request) {
        String ticket = issued.remove(request.ids().request());
        if (ticket != null) {
            tickets.revoke(ticket);
        }
    }
}
