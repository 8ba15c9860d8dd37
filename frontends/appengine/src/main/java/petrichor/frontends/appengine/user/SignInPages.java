package petrichor.frontends.appengine.user;

import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import petrichor.frontends.http.Page;
import petrichor.services.users.Account;
import petrichor.services.users.ContinueUrl;
import petrichor.services.users.OpenIdProvider;
import petrichor.services.users.Sessions;
import petrichor.services.users.SignIn;
import petrichor.services.users.UserHeaders;

/**
 * {@code /_ah/login} and {@code /_ah/logout}, and {@code /_ah/login/user} for proxies. The form
 * carries a token that must match a cookie, so that another site cannot sign a user in under its
 * own account.
 */
public final class SignInPages {
    static final String LOGIN = "/_ah/login";
    static final String LOGOUT = "/_ah/logout";
    private static final String USER = "/_ah/login/user";
    private static final String OPEN_ID = "/_ah/login/openid";
    private static final String CALLBACK = "/_ah/login/callback";

    private static final int FORM_BYTES_MAX = 16 << 10;
    private static final String FORM = "form";
    private static final String AUTH_DOMAIN = "gmail.com";
    private static final Duration FORM_VALIDITY = Duration.ofHours(1);

    private final Sessions sessions;
    private final SignIn signIn;
    private final Optional<OpenIdProvider> openId;
    private final Predicate<String> appHosts;
    private final Cookies cookies;

    /**
     * @param appHosts whether a host, with its port, belongs to this platform
     * @param secure whether browsers reach these pages over TLS
     */
    public SignInPages(
            Sessions sessions,
            SignIn signIn,
            Optional<OpenIdProvider> openId,
            Predicate<String> appHosts,
            boolean secure) {
        this.sessions = sessions;
        this.signIn = signIn;
        this.openId = openId;
        this.appHosts = appHosts;
        this.cookies = new Cookies(secure);
    }

    public List<Page> pages() {
        return List.of(
                new Page("GET", LOGIN, Page.Access.OPEN, this::form),
                new Page("POST", LOGIN, Page.Access.OPEN, this::submit),
                new Page("GET", LOGOUT, Page.Access.OPEN, this::logout),
                new Page("GET", USER, Page.Access.OPEN, this::userFields),
                new Page("GET", OPEN_ID, Page.Access.OPEN, this::openId),
                new Page("GET", CALLBACK, Page.Access.OPEN, this::callback));
    }

    /** The user of a request; for the router. */
    public Optional<Account> user(String cookie) {
        return cookie.isEmpty() ? Optional.empty() : sessions.account(cookie);
    }

    /**
     * The user of the session in the request's cookie, as the header fields of a request to the app
     * {@code app}. A proxy in front of an app asks for them (forward authentication).
     */
    private Page.Answer userFields(Page.Request request) {
        Map<String, String> headers = new HashMap<>(Map.of("cache-control", "no-store"));
        UserHeaders.of(
                        user(Cookies.read(request, Cookies.SESSION)),
                        request.parameters().getOrDefault("app", ""),
                        AUTH_DOMAIN)
                .forEach((name, value) -> headers.put(name.toLowerCase(Locale.ROOT), value));
        return Page.Answer.text(200, "").with(headers);
    }

    private Page.Answer form(Page.Request request) {
        return form(
                200, checked(request, request.parameters().getOrDefault("continue", "")), "", "");
    }

    private Page.Answer form(int status, String continueUrl, String email, String problem) {
        String nonce = sessions.random();
        String html =
                SignInHtml.page(
                        sessions.seal(FORM, nonce, FORM_VALIDITY),
                        continueUrl,
                        email,
                        problem,
                        openId.isEmpty() ? "" : OPEN_ID + "?continue=" + encoded(continueUrl));
        return html(status, html)
                .with(Map.of("set-cookie", cookies.set(Cookies.SIGN_IN, nonce, FORM_VALIDITY)));
    }

    private static Page.Answer html(int status, String html) {
        return Page.Answer.encoded(status, "text/html; charset=utf-8", html)
                .with(
                        Map.of(
                                "cache-control",
                                "no-store",
                                "content-security-policy",
                                "default-src 'none'; style-src 'unsafe-inline'; form-action 'self';"
                                        + " frame-ancestors 'none'; base-uri 'none'",
                                "x-frame-options",
                                "DENY",
                                "x-content-type-options",
                                "nosniff",
                                "referrer-policy",
                                "same-origin"));
    }

    private Page.Answer submit(Page.Request request) {
        if (request.body().length > FORM_BYTES_MAX
                || !request.contentType().startsWith("application/x-www-form-urlencoded")) {
            return Page.Answer.text(400, "not a form\n");
        }
        Map<String, String> fields = fields(new String(request.body(), StandardCharsets.UTF_8));
        String continueUrl = checked(request, fields.getOrDefault("continue", ""));
        String email = fields.getOrDefault("email", "");
        String nonce = Cookies.read(request, Cookies.SIGN_IN);
        if (nonce.isEmpty()
                || !sessions.unseal(FORM, fields.getOrDefault("token", ""))
                        .filter(nonce::equals)
                        .isPresent()) {
            return form(403, continueUrl, email, "The form has expired. Please try again.");
        }
        return switch (signIn.signIn(
                email, fields.getOrDefault("password", ""), request.attempt().address())) {
            case SignIn.Result.SignedIn(Account account) -> signedIn(account, continueUrl);
            case SignIn.Result.Wrong() ->
                    form(401, continueUrl, email, "The email address or the password is wrong.");
            case SignIn.Result.TooMany() ->
                    form(
                            429,
                            continueUrl,
                            email,
                            "Too many attempts. Please try again in some minutes.");
        };
    }

    private Page.Answer signedIn(Account account, String continueUrl) {
        return redirect(continueUrl)
                .with(
                        Map.of(
                                "set-cookie",
                                cookies.set(
                                        Cookies.SESSION,
                                        sessions.start(account),
                                        sessions.lifetime())));
    }

    private static Page.Answer redirect(String url) {
        return Page.Answer.text(302, "").with(Map.of("location", url, "cache-control", "no-store"));
    }

    private Page.Answer logout(Page.Request request) {
        sessions.end(Cookies.read(request, Cookies.SESSION));
        return redirect(checked(request, request.parameters().getOrDefault("continue", "")))
                .with(Map.of("set-cookie", cookies.delete(Cookies.SESSION)));
    }

    private Page.Answer openId(Page.Request request) {
        if (openId.isEmpty()) {
            return Page.Answer.text(404, "no OpenID provider is configured\n");
        }
        OpenIdProvider.Started started =
                openId.get()
                        .start(
                                callbackUrl(request),
                                checked(
                                        request,
                                        request.parameters().getOrDefault("continue", "")));
        return redirect(started.redirect().toString())
                .with(
                        Map.of(
                                "set-cookie",
                                cookies.set(Cookies.SIGN_IN, started.cookie(), FORM_VALIDITY)));
    }

    private Page.Answer callback(Page.Request request) {
        return openId.flatMap(
                        provider ->
                                provider.finish(
                                        Cookies.read(request, Cookies.SIGN_IN),
                                        request.parameters().getOrDefault("state", ""),
                                        request.parameters().getOrDefault("code", "")))
                .map(finished -> signedIn(finished.account(), finished.continueUrl()))
                .orElseGet(() -> form(401, "/", "", "Signing in failed. Please try again."));
    }

    /** The provider accepts only URLs that are registered there, so a forged Host leads nowhere. */
    private URI callbackUrl(Page.Request request) {
        return URI.create((cookies.secure() ? "https://" : "http://") + host(request) + CALLBACK);
    }

    private String checked(Page.Request request, String continueUrl) {
        return ContinueUrl.checked(continueUrl, host(request), appHosts);
    }

    private static String host(Page.Request request) {
        String host = request.headers().getOrDefault("host", "");
        return host.matches("[A-Za-z0-9.:\\[\\]_-]{1,255}") ? host : "localhost";
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static Map<String, String> fields(String form) {
        Map<String, String> fields = new HashMap<>();
        for (String pair : form.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                try {
                    fields.putIfAbsent(
                            URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8),
                            URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
                } catch (IllegalArgumentException e) {
                    // Leaves out a field that is not encoded.
                }
            }
        }
        return fields;
    }
}
