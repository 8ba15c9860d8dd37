package petrichor.apps.router;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import petrichor.apps.router.http.FramingRules;
import petrichor.apps.router.table.ErrorPages;

/**
 * An error that the router reports itself.
 *
 * @param reason for the client
 * @param kind of the app's own page that may replace the router's; null if none may
 * @param retryAfter zero if the client should not repeat the request
 */
record RouterFailure(
        HttpResponseStatus status,
        String reason,
        ErrorPages.@Nullable Kind kind,
        Duration retryAfter) {
    static final RouterFailure NO_HOST = notFound("No app has this host name.");
    static final RouterFailure NO_HANDLER = notFound("No handler of the app matches this path.");
    static final RouterFailure NO_FILE = notFound("The file does not exist.");
    static final RouterFailure INTERNAL_PATH = notFound("The path is internal to the platform.");
    static final RouterFailure BAD_HOST =
            of(HttpResponseStatus.BAD_REQUEST, "The request needs exactly one valid Host field.");
    static final RouterFailure EXPECTATION =
            of(HttpResponseStatus.EXPECTATION_FAILED, "Only 100-continue can be expected.");
    static final RouterFailure NO_METHOD =
            of(HttpResponseStatus.METHOD_NOT_ALLOWED, "A file allows GET and HEAD only.");
    static final RouterFailure UNAUTHORIZED =
            of(HttpResponseStatus.UNAUTHORIZED, "Sign in to use this page.");
    static final RouterFailure FORBIDDEN =
            of(HttpResponseStatus.FORBIDDEN, "Only administrators of the app may use this page.");
    static final RouterFailure SLOW_REQUEST =
            of(HttpResponseStatus.REQUEST_TIMEOUT, "The request did not arrive in time.");
    static final RouterFailure INTERNAL =
            own(HttpResponseStatus.INTERNAL_SERVER_ERROR, "The router failed.");
    static final RouterFailure UNREACHABLE =
            own(
                    HttpResponseStatus.BAD_GATEWAY,
                    "The app closed the connection without a response.");
    static final RouterFailure BROKEN =
            own(HttpResponseStatus.BAD_GATEWAY, "The app sent a malformed response.");
    static final RouterFailure BUSY =
            new RouterFailure(
                    HttpResponseStatus.SERVICE_UNAVAILABLE,
                    "The app has too many requests at the same time.",
                    ErrorPages.Kind.OVER_QUOTA,
                    Duration.ofSeconds(1));
    static final RouterFailure NO_INSTANCE =
            unavailable("No instance of the app became available in time.", Duration.ofSeconds(5));
    static final RouterFailure TIMEOUT =
            new RouterFailure(
                    HttpResponseStatus.GATEWAY_TIMEOUT,
                    "The app did not answer in time.",
                    ErrorPages.Kind.TIMEOUT,
                    Duration.ZERO);

    /** The app has more visitors than its operator allows. */
    static RouterFailure overQuota(Duration retryAfter) {
        return new RouterFailure(
                HttpResponseStatus.SERVICE_UNAVAILABLE,
                "The app is over its quota of requests per minute.",
                ErrorPages.Kind.OVER_QUOTA,
                retryAfter);
    }

    private static RouterFailure of(HttpResponseStatus status, String reason) {
        return new RouterFailure(status, reason, null, Duration.ZERO);
    }

    /** Whole seconds, at least one: a visitor who waits so long does not come too early. */
    long retryAfterSeconds() {
        return Math.max(1, retryAfter.plusNanos(999_999_999).toSeconds());
    }

    private static RouterFailure own(HttpResponseStatus status, String reason) {
        return new RouterFailure(status, reason, ErrorPages.Kind.DEFAULT, Duration.ZERO);
    }

    private static RouterFailure notFound(String reason) {
        return of(HttpResponseStatus.NOT_FOUND, reason);
    }

    static RouterFailure unavailable(String reason, Duration retryAfter) {
        return new RouterFailure(
                HttpResponseStatus.SERVICE_UNAVAILABLE,
                reason,
                ErrorPages.Kind.DEFAULT,
                retryAfter);
    }

    /** What another server of the cluster has answered instead of an instance. */
    static RouterFailure ofServer(HttpResponseStatus status, String reason) {
        return status.equals(HttpResponseStatus.SERVICE_UNAVAILABLE)
                ? unavailable(reason, NO_INSTANCE.retryAfter())
                : own(status, reason);
    }

    static RouterFailure of(FramingRules.Refusal refusal) {
        String reason = refusal.reason();
        String sentence = Character.toUpperCase(reason.charAt(0)) + reason.substring(1) + ".";
        return of(refusal.status(), sentence);
    }

    static RouterFailure malformed(String reason) {
        return of(new FramingRules.Refusal(HttpResponseStatus.BAD_REQUEST, reason));
    }
}
