package petrichor.apps.router.table;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * One version of a service: who answers which of its paths.
 *
 * @param handlers in order; the first that matches applies; a path without a handler does not exist
 */
public record VersionRoutes(
        VersionName name, List<UrlHandler> handlers, ErrorPages errorPages, Timeouts timeouts) {
    public VersionRoutes {
        handlers = List.copyOf(handlers);
    }

    /**
     * @param request from the first byte of a request to the last byte of its response
     * @param pending waiting for an instance, which includes a cold start
     * @param idle without a byte in either direction while a request runs; also of WebSockets
     */
    public record Timeouts(Duration request, Duration pending, Duration idle) {
        /** App Engine's limits of automatic scaling; idle after App Engine's 10 minutes too. */
        public static final Timeouts DEFAULT =
                new Timeouts(
                        Duration.ofMinutes(10), Duration.ofSeconds(60), Duration.ofMinutes(10));

        /** Of the platform's own server: channels may be open, and uploads arrive, for a day. */
        public static final Timeouts PLATFORM =
                new Timeouts(Duration.ofHours(24), Duration.ofSeconds(60), Duration.ofMinutes(10));

        public Timeouts {
            if (!positive(request) || !positive(pending) || !positive(idle)) {
                throw PetrichorException.invalid(
                        "timeouts must be positive: request {request}, pending {pending}, idle"
                                + " {idle}",
                        "request",
                        request,
                        "pending",
                        pending,
                        "idle",
                        idle);
            }
        }

        private static boolean positive(Duration duration) {
            return duration.isPositive();
        }
    }

    /**
     * The first handler that matches; null if there is none.
     *
     * @param exists whether a folder has a file, by its relative name
     */
    public @Nullable UrlHandler handler(String path, BiPredicate<Path, String> exists) {
        for (UrlHandler handler : handlers) {
            if (handler.matches(path, exists)) {
                return handler;
            }
        }
        return null;
    }
}
