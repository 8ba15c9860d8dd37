package petrichor.server.config;

import java.net.URI;
import java.util.Optional;
import petrichor.base.PetrichorException;

/**
 * How requests are traced.
 *
 * @param endpoint URL of the collector's HTTP receiver; empty if no spans are recorded
 * @param sampled share of the traces that start here to record, from 0 to 1; a client's own
 *     decision prevails
 */
public record TraceSettings(Optional<URI> endpoint, double sampled) {
    public static TraceSettings of(Settings from) {
        String endpoint = from.value(ConfigKey.TRACES_ENDPOINT);
        return new TraceSettings(
                endpoint.isEmpty() ? Optional.empty() : Optional.of(url(endpoint)),
                Double.parseDouble(from.value(ConfigKey.TRACES_SAMPLED)));
    }

    private static URI url(String endpoint) {
        URI url;
        try {
            url = URI.create(endpoint);
        } catch (IllegalArgumentException malformed) {
            throw notAUrl(endpoint);
        }
        if (url.getHost() == null
                || !("http".equals(url.getScheme()) || "https".equals(url.getScheme()))) {
            throw notAUrl(endpoint);
        }
        return url;
    }

    private static PetrichorException notAUrl(String endpoint) {
        return PetrichorException.invalid(
                "traces.endpoint is \"{endpoint}\"; set it to the URL of a collector, such as"
                        + " http://localhost:4318/v1/traces",
                "endpoint",
                endpoint);
    }
}
