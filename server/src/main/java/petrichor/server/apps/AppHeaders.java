package petrichor.server.apps;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
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

    private static final AsciiString TICKET = AsciiString.cached(Tickets.HEADER);
    private static final AsciiString LOG_ID = AsciiString.cached("X-Appengine-Request-Log-Id");
    private static final AsciiString USER_IP = AsciiString.cached("X-Appengine-User-IP");
    private static final AsciiString REMOTE_ADDRESS = AsciiString.cached("X-Appengine-Remote-Addr");
    private static final AsciiString HTTPS = AsciiString.cached("X-Appengine-Https");
    private static final AsciiString DEFAULT_HOST =
            AsciiString.cached("X-Appengine-Default-Version-Hostname");
    private static final AsciiString COUNTRY = AsciiString.cached("X-Appengine-Country");

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
        headers.set(TICKET, ticket);
        headers.set(LOG_ID, request.ids().request());
        headers.set(USER_IP, request.client().address());
        headers.set(REMOTE_ADDRESS, request.client().address());
        headers.set(HTTPS, request.client().secure() ? "on" : "off");
        headers.set(DEFAULT_HOST, version.app() + "." + domain);
        headers.set(COUNTRY, "ZZ");
        if (request.sender().visitor() instanceof Visitor.SignedIn(var id, var email, var admin)) {
            headers.set("X-Appengine-User-Id", id);
            headers.set("X-Appengine-User-Email", email);
            headers.set("X-Appengine-User-Nickname", email);
            headers.set("X-Appengine-User-Is-Admin", admin ? "1" : "0");
            headers.set("X-Appengine-Auth-Domain", email.substring(email.indexOf('@') + 1));
        }
    }

    /** The ticket of the other server may be valid only there. */
    @Override
    public void arrived(RequestView request, HttpHeaders headers) {
        var version = request.version();
        String scheme = headers.get("X-Forwarded-Proto", "http");
        String ticket =
                tickets.issue(
                        new CallingApp(
                                version.app(),
                                version.service(),
                                version.version(),
                                scheme + "://" + request.authority()),
                        REQUEST_MAX);
        issued.put(request.ids().request(), ticket);
        headers.set(Tickets.HEADER, ticket);
    }

    @Override
    public void ended(RequestView request) {
        String ticket = issued.remove(request.ids().request());
        if (ticket != null) {
            tickets.revoke(ticket);
        }
    }
}
