package petrichor.apps.router;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.http.FramingRules;
import petrichor.apps.router.http.MalformedTarget;
import petrichor.apps.router.http.RequestTarget;
import petrichor.apps.router.table.AppRoutes;
import petrichor.apps.router.table.HandlerTarget;
import petrichor.apps.router.table.Protection;
import petrichor.apps.router.table.RequestLimits;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.router.table.VersionRoutes;

/**
 * Decides what answers a request: checks its head, finds its route, admits it, and checks who may
 * see it. Runs once, on the exchange's event loop.
 */
final class RequestDecision {
    private final RouterCore core;
    private final ClientConnection connection;
    private final ClientExchange exchange;
    private final ExchangeFacts facts;
    private final HttpRequest request;
    private RouteFinder.@Nullable Asked asked;

    RequestDecision(
            RouterCore core,
            ClientConnection connection,
            ClientExchange exchange,
            HttpRequest request) {
        this.core = core;
        this.connection = connection;
        this.exchange = exchange;
        this.facts = exchange.facts();
        this.request = request;
    }

    void run() {
        FramingRules.Refusal refusal = FramingRules.problem(request, core.limits().requests());
        if (refusal != null) {
            exchange.fail(RouterFailure.of(refusal));
            return;
        }
        facts.framed();
        PeerHop.Arrival arrival =
                PeerHop.arrival(core.settings(), connection.link(), request.headers());
        if (arrival != null) {
            arrived(arrival);
            return;
        }
        switch (RequestTarget.parse(request.uri())) {
            case MalformedTarget(var reason) -> exchange.fail(RouterFailure.malformed(reason));
            case RequestTarget target -> target(target);
        }
    }

    /** The request has been routed already. */
    private void arrived(PeerHop.Arrival arrival) {
        exchange.arrived(arrival.source());
        String host = FramingRules.host(request, "");
        facts.host(host == null ? "" : host);
        VersionName version = arrival.version();
        if (!admit(version, false)) {
            return;
        }
        exchange.acceptAnyLength();
        forward(
                version,
                arrival.instance(),
                core.table().timeouts(version),
                view(version, true),
                arrival.source());
    }

    private void target(RequestTarget target) {
        String host = FramingRules.host(request, target.authority().orElse(""));
        if (host == null) {
            exchange.fail(RouterFailure.BAD_HOST);
            return;
        }
        facts.host(host);
        String expected = request.headers().get(HttpHeaderNames.EXPECT);
        if (expected != null && !HttpHeaderValues.CONTINUE.contentEqualsIgnoreCase(expected)) {
            exchange.fail(RouterFailure.EXPECTATION);
            return;
        }
        String challenge = core.platform().challenges().answer(host, target.path());
        if (challenge != null) {
            // before any redirect: the authority comes over HTTP
            HttpHeaders plain = new DefaultHttpHeaders();
            plain.set(HttpHeaderNames.CONTENT_TYPE, "text/plain");
            exchange.reply(
                    HttpResponseStatus.OK, plain, challenge.getBytes(StandardCharsets.US_ASCII));
            return;
        }
        request.setUri(target.uri());
        asked =
                new RouteFinder.Asked(
                        host, target, request.headers(), facts.address(), isFromPlatform());
        route(asked, null);
    }

    /**
     * @param visitor null if it is not known yet
     */
    private void route(RouteFinder.Asked by, @Nullable Visitor visitor) {
        switch (core.state().finder().find(core.table(), by, connection.lane().random())) {
            case Route.Refused(var failure, var version) -> {
                if (version != null) {
                    facts.version(version.name());
                    exchange.useErrorPages(version.errorPages());
                }
                exchange.fail(failure);
            }
            case Route.Platform(var version) -> {
                if (admit(version, isCounted(by, visitor))) {
                    exchange.acceptAnyLength();
                    RequestView view = view(version, by.platform());
                    forward(version, Optional.empty(), VersionRoutes.Timeouts.PLATFORM, view);
                }
            }
            case Route.Handled handled -> {
                if (FramingRules.isTooLarge(request, core.limits().requests())) {
                    exchange.fail(RouterFailure.of(FramingRules.tooLarge()));
                } else {
                    handled(handled, by, visitor);
                }
            }
        }
    }

    /** The platform sends the form, whose files it has stored, in the name of a user. */
    private boolean isUpload() {
        return request.headers().contains(RouterSettings.UPLOAD_FIELD);
    }

    /** Compares in constant time. */
    private boolean isFromPlatform() {
        return PeerHop.same(
                core.settings().platformToken(),
                request.headers().get(RouterSettings.PLATFORM_FIELD));
    }

    /** Requests of the platform do not count, and no request counts twice. */
    private static boolean isCounted(RouteFinder.Asked by, @Nullable Visitor visitor) {
        return !by.platform() && visitor == null;
    }

    private RequestLimits limits(VersionName version) {
        AppRoutes app = core.table().apps().get(version.app());
        return app == null ? RequestLimits.NONE : app.limits();
    }

    private boolean admit(VersionName version, boolean counted) {
        facts.version(version);
        RequestAdmission.Place place = core.admission().enter(version.app());
        if (place == null) {
            core.metrics().refusedByLimit();
            exchange.fail(RouterFailure.BUSY);
            return false;
        }
        exchange.admitted(place);
        if (counted) {
            Duration wait = core.quotas().enter(version.app(), limits(version));
            if (wait.isPositive()) {
                exchange.fail(RouterFailure.overQuota(wait));
                return false;
            }
        }
        return true;
    }

    private void handled(Route.Handled route, RouteFinder.Asked by, @Nullable Visitor visitor) {
        VersionRoutes version = route.version();
        exchange.useErrorPages(version.errorPages());
        if (!admit(version.name(), isCounted(by, visitor))) {
            return;
        }
        RequestView view = view(version.name(), by.platform());
        route.bucket().ifPresent(bucket -> facts.cookie(RouteFinder.cookie(bucket)));
        String location = otherScheme(route.protection(), view);
        if (location != null) {
            redirect(HttpResponseStatus.valueOf(route.protection().redirectStatus()), location);
            return;
        }
        boolean open = route.protection().login() == Protection.Login.OPTIONAL;
        boolean trusted = by.platform() && !isUpload();
        if (trusted || (open && !(route.target() instanceof HandlerTarget.Instances))) {
            answer(route, view);
        } else if (visitor != null) {
            visited(route, view.with(visitor), visitor);
        } else {
            ask(route, view);
        }
    }

    private void ask(Route.Handled route, RequestView view) {
        CompletableFuture<Visitor> found = core.platform().visitors().visitor(view);
        if (found.isDone()) {
            found(found, visitor -> visited(route, view.with(visitor), visitor));
        } else {
            // the table may have changed meanwhile, and the version of the old one may be gone
            var _ =
                    found.whenComplete(
                            (_, _) ->
                                    connection
                                            .lane()
                                            .loop()
                                            .execute(() -> found(found, this::routeAgain)));
        }
    }

    private void found(CompletableFuture<Visitor> found, Consumer<Visitor> next) {
        if (exchange.hasEnded()) {
            return;
        }
        if (found.state() == Future.State.SUCCESS) {
            next.accept(found.resultNow());
        } else {
            exchange.fail(RouterFailure.INTERNAL);
        }
    }

    private void routeAgain(Visitor visitor) {
        if (asked != null) {
            exchange.leave();
            route(asked, visitor);
        }
    }

    private void visited(Route.Handled route, RequestView view, Visitor visitor) {
        switch (visitor) {
            case Visitor.Anonymous _ -> {
                if (route.protection().login() == Protection.Login.OPTIONAL) {
                    answer(route, view);
                } else {
                    signIn(route.protection(), view);
                }
            }
            case Visitor.SignedIn(_, _, boolean admin) -> {
                if (route.protection().login() == Protection.Login.ADMIN && !admin) {
                    exchange.fail(RouterFailure.FORBIDDEN);
                } else {
                    answer(route, view);
                }
            }
        }
    }

    private void signIn(Protection protection, RequestView view) {
        String page =
                protection.authFail() == Protection.AuthFail.REDIRECT
                        ? core.platform().visitors().loginUrl(view)
                        : "";
        if (page.isEmpty()) {
            exchange.fail(RouterFailure.UNAUTHORIZED);
        } else {
            redirect(HttpResponseStatus.FOUND, page);
        }
    }

    private void answer(Route.Handled route, RequestView view) {
        switch (route.target()) {
            case HandlerTarget.Instances _ ->
                    forward(
                            route.version().name(),
                            route.instance(),
                            limits(route.version().name()).within(route.version().timeouts()),
                            view);
            case HandlerTarget.Folder(var root, var options) ->
                    file(new FileReply.Wanted(root, route.file(), options));
            case HandlerTarget.File(var root, _, var options) ->
                    file(new FileReply.Wanted(root, route.file(), options));
        }
    }

    private void file(FileReply.Wanted wanted) {
        String method = request.method().name();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            exchange.fail(RouterFailure.NO_METHOD);
            return;
        }
        FileReply reply = new FileReply(core, connection.lane(), exchange);
        exchange.handle(reply);
        reply.start(wanted, request.headers());
    }

    private void forward(
            VersionName version,
            Optional<String> instance,
            VersionRoutes.Timeouts timeouts,
            RequestView view) {
        forward(version, instance, timeouts, view, PeerHop.Source.CLIENT);
    }

    private void forward(
            VersionName version,
            Optional<String> instance,
            VersionRoutes.Timeouts timeouts,
            RequestView view,
            PeerHop.Source source) {
        facts.view(view);
        Forwarding forwarding =
                new Forwarding(
                        core,
                        connection.lane(),
                        exchange,
                        new InstanceRequest(version, instance, timeouts, view, null, source),
                        request);
        exchange.handle(forwarding);
        forwarding.start();
    }

    private RequestView view(VersionName version, boolean platform) {
        HttpHeaders headers = request.headers();
        return new RequestView(
                version,
                request.method().name(),
                new RequestView.Address(headers.get(HttpHeaderNames.HOST, ""), request.uri()),
                new RequestView.Sender(
                        facts.ids(), facts.client(), new Visitor.Anonymous(), platform),
                headers);
    }

    /** The same URL with the scheme that the handler wants; null if it has it. */
    private @Nullable String otherScheme(Protection protection, RequestView view) {
        boolean secure = view.client().secure();
        String host = view.authority();
        int colon = host.indexOf(':', Math.max(host.lastIndexOf(']'), 0));
        String name = colon < 0 ? host : host.substring(0, colon);
        return switch (protection.secure()) {
            case OPTIONAL -> null;
            case ALWAYS -> {
                int port = core.settings().httpsPort();
                String suffix = port == 443 ? "" : ":" + port;
                yield secure ? null : "https://" + name + suffix + request.uri();
            }
            case NEVER -> secure ? "http://" + name + request.uri() : null;
        };
    }

    private void redirect(HttpResponseStatus status, String location) {
        HttpHeaders headers = new DefaultHttpHeaders();
        headers.set(HttpHeaderNames.LOCATION, location);
        exchange.reply(status, headers, new byte[0]);
    }
}
