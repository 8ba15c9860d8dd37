package petrichor.apps.manifest;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The URLs of an app.
 *
 * @param handlers in the order in which they are tried
 * @param errorHandlers at most one for each code
 * @param defaultExpiration of static files whose handler has none
 */
public record Routes(
        List<UrlHandler> handlers,
        List<ErrorHandler> errorHandlers,
        Duration defaultExpiration,
        Set<InboundService> inboundServices) {
    /** App Engine's. */
    public static final Duration EXPIRATION = Duration.ofMinutes(10);

    /** Every URL to the app. */
    public static final Routes DEFAULT = new Routes(List.of(), List.of(), EXPIRATION, Set.of());

    /** The handler of a request and where it leads. */
    public record Match(UrlHandler.Access access, Destination destination) {}

    public Routes {
        handlers = List.copyOf(handlers);
        errorHandlers = List.copyOf(errorHandlers);
        inboundServices = Set.copyOf(inboundServices);
    }

    /**
     * The first handler that matches. A path that no handler matches goes to the app.
     *
     * @param path decoded, without the query
     * @param isFile whether the app's folder has a static file, by its path; asked only for
     *     handlers that require one
     */
    public Match match(String path, Predicate<String> isFile) {
        for (UrlHandler handler : handlers) {
            Destination destination = handler.match(path).orElse(null);
            if (destination != null && !fallsThrough(destination, isFile)) {
                return new Match(handler.access(), destination);
            }
        }
        return new Match(UrlHandler.Access.DEFAULT, new Destination.App());
    }

    private static boolean fallsThrough(Destination destination, Predicate<String> isFile) {
        return switch (destination) {
            case Destination.App() -> false;
            case Destination.File(String path, StaticOptions options) ->
                    requiresFile(options) && !isFile.test(path);
            case Destination.NotFound(StaticOptions options) -> requiresFile(options);
        };
    }

    private static boolean requiresFile(StaticOptions options) {
        return options.flags().contains(StaticOptions.Flag.REQUIRE_MATCHING_FILE);
    }
}
