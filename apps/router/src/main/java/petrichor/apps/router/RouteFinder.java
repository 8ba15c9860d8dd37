package petrichor.apps.router;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetAddress;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;
import petrichor.apps.router.files.StaticFiles;
import petrichor.apps.router.http.RequestTarget;
import petrichor.apps.router.table.AppRoutes;
import petrichor.apps.router.table.HandlerTarget;
import petrichor.apps.router.table.OpenPath;
import petrichor.apps.router.table.Protection;
import petrichor.apps.router.table.RoutingTable;
import petrichor.apps.router.table.ServiceRoutes;
import petrichor.apps.router.table.TrafficSplit;
import petrichor.apps.router.table.UrlHandler;
import petrichor.apps.router.table.VersionRoutes;

/** Finds the route of a request in a table. Stateless. */
final class RouteFinder {
    /** App Engine's name, so that a client keeps its version when an app moves here. */
    static final String SPLIT_COOKIE = "GOOGAPPUID";

    private static final String INTERNAL = "/_ah";

    private final StaticFiles files;

    RouteFinder(StaticFiles files) {
        this.files = files;
    }

    /**
     * What the route depends on.
     *
     * @param platform whether the platform itself sent the request
     */
    record Asked(
            String host,
            RequestTarget target,
            HttpHeaders headers,
            InetAddress client,
            boolean platform) {}

    private record Chosen(
            VersionRoutes version, Optional<String> instance, OptionalInt newBucket) {}

    Route find(RoutingTable table, Asked asked, RandomGenerator random) {
        return switch (table.match(asked.host())) {
            case RoutingTable.Unknown _ -> new Route.Refused(RouterFailure.NO_HOST, null);
            case RoutingTable.Service(var app, var service) -> {
                ServiceRoutes dispatched = app.dispatched(asked.host(), asked.target().path());
                yield within(
                        app,
                        split(dispatched == null ? service : dispatched, asked, random),
                        asked);
            }
            case RoutingTable.Version(var app, _, var version, var instance) ->
                    within(app, new Chosen(version, instance, OptionalInt.empty()), asked);
        };
    }

    private Route within(AppRoutes app, Chosen chosen, Asked asked) {
        String path = asked.target().path();
        String strict = asked.target().strictPath();
        if (isInternal(strict) && !asked.platform()) {
            OpenPath open = app.openPath(strict);
            if (open == null) {
                return new Route.Refused(RouterFailure.INTERNAL_PATH, null);
            }
            if (open.server() == OpenPath.Server.PLATFORM) {
                return new Route.Platform(OpenPath.platform(app.app()));
            }
            return toInstance(chosen);
        }
        UrlHandler handler = chosen.version().handler(path, files::exists);
        if (handler == null) {
            return isInternal(strict)
                    ? toInstance(chosen)
                    : new Route.Refused(RouterFailure.NO_HANDLER, chosen.version());
        }
        Protection protection = handler.protection();
        if (!strict.equals(path)) {
            UrlHandler other = chosen.version().handler(strict, files::exists);
            if (other != null) {
                protection = protection.stricter(other.protection());
            }
        }
        return new Route.Handled(
                chosen.version(),
                chosen.instance(),
                handler.target(),
                handler.relativeFile(path),
                protection,
                chosen.newBucket());
    }

    private static Route toInstance(Chosen chosen) {
        return new Route.Handled(
                chosen.version(),
                chosen.instance(),
                new HandlerTarget.Instances(),
                null,
                Protection.OPEN,
                chosen.newBucket());
    }

    /** Some frameworks ignore the case of a path. */
    private static boolean isInternal(String path) {
        return path.regionMatches(true, 0, INTERNAL, 0, INTERNAL.length())
                && (path.length() == INTERNAL.length() || path.charAt(INTERNAL.length()) == '/');
    }

    private static Chosen split(ServiceRoutes service, Asked asked, RandomGenerator random) {
        TrafficSplit split = service.split();
        if (split.isWhole()) {
            return new Chosen(service.version(0), Optional.empty(), OptionalInt.empty());
        }
        return switch (split.by()) {
            case IP ->
                    new Chosen(
                            service.version(TrafficSplit.bucketOf(asked.client().getAddress())),
                            Optional.empty(),
                            OptionalInt.empty());
            case RANDOM ->
                    new Chosen(
                            service.version(random.nextInt(TrafficSplit.BUCKETS)),
                            Optional.empty(),
                            OptionalInt.empty());
            case COOKIE -> {
                int known = bucket(asked.headers());
                int bucket = known < 0 ? random.nextInt(TrafficSplit.BUCKETS) : known;
                yield new Chosen(
                        service.version(bucket),
                        Optional.empty(),
                        known < 0 ? OptionalInt.of(bucket) : OptionalInt.empty());
            }
        };
    }

    /** The bucket in the client's cookie; -1 if it has none. */
    private static int bucket(HttpHeaders headers) {
        for (String field : headers.getAll(HttpHeaderNames.COOKIE)) {
            for (String cookie : field.split(";", -1)) {
                int bucket = value(cookie.strip());
                if (bucket >= 0) {
                    return bucket;
                }
            }
        }
        return -1;
    }

    private static int value(String cookie) {
        String prefix = SPLIT_COOKIE + "=";
        String digits = cookie.startsWith(prefix) ? cookie.substring(prefix.length()) : "";
        boolean valid =
                !digits.isEmpty()
                        && digits.length() <= 3
                        && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        return valid ? Integer.parseInt(digits) : -1;
    }

    /** The Set-Cookie field for a bucket. */
    static String cookie(int bucket) {
        return SPLIT_COOKIE + "=" + bucket + "; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax";
    }
}
