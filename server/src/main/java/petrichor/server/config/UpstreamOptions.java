package petrichor.server.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import petrichor.base.PetrichorException;
import petrichor.movement.upstream.UpstreamSettings;

/**
 * Another Datastore endpoint, in front of which this server runs.
 *
 * @param url http or https
 * @param tlsTrust accepted authorities; empty for those of the Java runtime
 * @param callTimeout longest time for a call
 * @param shadowReads share of the reads that are executed on both sides, from 0 to 1
 */
public record UpstreamOptions(
        URI url,
        Credentials credentials,
        Optional<Path> tlsTrust,
        Duration callTimeout,
        double shadowReads) {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    /** How calls are authenticated. */
    public sealed interface Credentials {
        record None() implements Credentials {}

        /** Those that Google's clients find, too. */
        record ApplicationDefault() implements Credentials {}

        /** A bearer token in a file. */
        record TokenFile(Path file) implements Credentials {}
    }

    static Optional<UpstreamOptions> of(Settings from) {
        return from.text(ConfigKey.UPSTREAM_URL)
                .map(
                        text -> {
                            URI url = UpstreamSettings.address(text);
                            return new UpstreamOptions(
                                    url,
                                    credentials(from, url),
                                    from.path(ConfigKey.UPSTREAM_TLS_TRUST),
                                    from.duration(ConfigKey.UPSTREAM_CALL_TIMEOUT),
                                    Double.parseDouble(
                                            from.value(ConfigKey.UPSTREAM_SHADOW_READS)));
                        });
    }

    private static Credentials credentials(Settings from, URI url) {
        Optional<Path> token = from.path(ConfigKey.UPSTREAM_TOKEN_FILE);
        String named = from.value(ConfigKey.UPSTREAM_CREDENTIALS);
        boolean secure = url.getScheme().equals("https");
        return switch (named) {
            case "" -> {
                if (token.isPresent()) {
                    if (!secure && !LOOPBACK.contains(url.getHost())) {
                        throw PetrichorException.invalid(
                                "upstream.token-file is not sent over http to other machines; give"
                                        + " upstream.url with https");
                    }
                    yield new Credentials.TokenFile(token.get());
                }
                yield secure ? new Credentials.ApplicationDefault() : new Credentials.None();
            }
            case "none" -> new Credentials.None();
            case "application-default" -> {
                if (!secure) {
                    throw PetrichorException.invalid(
                            "upstream.credentials are application-default, which are not sent over"
                                    + " http; give upstream.url with https");
                }
                yield new Credentials.ApplicationDefault();
            }
            case String other ->
                    throw PetrichorException.invalid(
                            "upstream.credentials is \"{credentials}\"; it must be"
                                    + " application-default or none",
                            "credentials",
                            other);
        };
    }
}
