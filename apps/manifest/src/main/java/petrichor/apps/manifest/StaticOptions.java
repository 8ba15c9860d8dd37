package petrichor.apps.manifest;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How static files are served.
 *
 * @param mimeType empty if it follows from the name
 * @param expiration how long clients may cache a file; empty for {@link Routes#defaultExpiration}
 * @param headers of responses, in the order of the file
 */
public record StaticOptions(
        Optional<String> mimeType,
        Optional<Duration> expiration,
        Map<String, String> headers,
        Set<Flag> flags) {
    /** Without any of them. */
    public static final StaticOptions DEFAULT =
            new StaticOptions(Optional.empty(), Optional.empty(), Map.of(), Set.of());

    /** Options that are on or off. */
    public enum Flag {
        /** The app can also read the files. */
        APPLICATION_READABLE,
        /** A URL without a file falls through to the next handler. */
        REQUIRE_MATCHING_FILE
    }

    public StaticOptions {
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        flags = Set.copyOf(flags);
    }
}
