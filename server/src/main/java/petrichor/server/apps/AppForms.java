package petrichor.server.apps;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.RouterSettings;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.Tickets;
import petrichor.frontends.appengine.blobstore.FormRecipients;

/**
 * Sends the forms of uploads to apps: to the URL of their target, or through the router to a
 * deployed version, as a request of the user who uploads. Thread-safe.
 */
final class AppForms implements FormRecipients, AutoCloseable {
    private static final Duration CONNECT_MAX = Duration.ofSeconds(10);

    /** As long as a request of App Engine's may take. */
    private static final Duration ANSWER_MAX = Duration.ofMinutes(1);

    private final Map<String, URI> targets;
    private final AppHosting hosting;
    private final Tickets tickets;
    private @Nullable HttpClient direct;
    private @Nullable HttpClient routed;

    /**
     * @param targets URLs by project; they precede deployed versions
     */
    AppForms(Map<String, URI> targets, AppHosting hosting, Tickets tickets) {
        this.targets = targets;
        this.hosting = hosting;
        this.tickets = tickets;
    }

    @Override
    public Optional<Recipient> find(String project, Map<String, String> headers) {
        URI target = targets.get(project);
        if (target == null) {
            return hosting.entrance(project, headers.getOrDefault("x-forwarded-host", ""))
                    .map(entrance -> deployed(entrance, headers));
        }
        String ticket = tickets.issue(CallingApp.of(project), ANSWER_MAX);
        return Optional.of(
                new Recipient(
                        direct(),
                        target,
                        target,
                        Map.of(Tickets.HEADER, ticket),
                        () -> tickets.revoke(ticket)));
    }

    private Recipient deployed(AppHosting.Entrance entrance, Map<String, String> headers) {
        String scheme = headers.getOrDefault("x-forwarded-proto", "").equals("https") ? "s" : "";
        return new Recipient(
                routed(entrance.router()),
                URI.create("http://" + entrance.authority()),
                URI.create("http" + scheme + "://" + entrance.authority()),
                Map.of(RouterSettings.PLATFORM_FIELD, entrance.token()),
                () -> {});
    }

    private static HttpClient.Builder client() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT_MAX)
                .followRedirects(HttpClient.Redirect.NEVER);
    }

    /** Created by the first upload, because it has threads. */
    private synchronized HttpClient direct() {
        HttpClient known = direct;
        if (known == null) {
            known = client().build();
            direct = known;
        }
        return known;
    }

    /** The router is a proxy for it: the hosts of apps need no entry in a name server. */
    private synchronized HttpClient routed(InetSocketAddress router) {
        HttpClient known = routed;
        if (known == null) {
            known = client().proxy(new Always(router)).build();
            routed = known;
        }
        return known;
    }

    /** One proxy, also for hosts of this machine. */
    private static final class Always extends ProxySelector {
        private final List<Proxy> proxies;

        Always(InetSocketAddress address) {
            this.proxies = List.of(new Proxy(Proxy.Type.HTTP, address));
        }

        @Override
        public List<Proxy> select(URI uri) {
            return proxies;
        }

        @Override
        public void connectFailed(URI uri, SocketAddress address, IOException failure) {}
    }

    @Override
    public synchronized void close() {
        if (direct != null) {
            direct.shutdownNow();
        }
        if (routed != null) {
            routed.shutdownNow();
        }
    }
}
