package petrichor.server.apps;

import io.netty.handler.codec.http.HttpHeaderNames;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import petrichor.apps.router.RequestView;
import petrichor.apps.router.Visitor;
import petrichor.apps.router.Visitors;
import petrichor.services.users.Account;
import petrichor.services.users.Sessions;

/** The users of requests, by the cookies of the sign-in pages. Thread-safe; does not block. */
final class AppVisitors implements Visitors, AutoCloseable {
    private static final Visitor ANONYMOUS = new Visitor.Anonymous();

    /** Of the sign-in pages. */
    private static final String COOKIE = "petrichor-session=";

    private final Sessions sessions;
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();

    AppVisitors(Sessions sessions) {
        this.sessions = sessions;
    }

    @Override
    public CompletableFuture<Visitor> visitor(RequestView request) {
        for (String field : request.headers().getAll(HttpHeaderNames.COOKIE)) {
            for (String cookie : field.split(";", -1)) {
                String pair = cookie.strip();
                if (pair.startsWith(COOKIE)) {
                    String app = request.version().app();
                    String value = pair.substring(COOKIE.length());
                    return CompletableFuture.supplyAsync(() -> visitor(value, app), workers);
                }
            }
        }
        return CompletableFuture.completedFuture(ANONYMOUS);
    }

    private Visitor visitor(String cookie, String app) {
        return sessions.account(cookie).map(account -> signedIn(account, app)).orElse(ANONYMOUS);
    }

    private static Visitor signedIn(Account account, String app) {
        return new Visitor.SignedIn(
                account.id(), account.email(), account.roles().administers(app));
    }

    @Override
    public String loginUrl(RequestView request) {
        String scheme = request.client().secure() ? "https" : "http";
        String url = scheme + "://" + request.authority() + request.address().uri();
        return "/_ah/login?continue=" + URLEncoder.encode(url, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        workers.shutdownNow();
    }
}
