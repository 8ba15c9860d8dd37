package petrichor.movement.upstream;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import petrichor.base.PetrichorException;

/**
 * The upstream and how it is called.
 *
 * @param tls of an https address; empty for http
 * @param authorization the header for each call; an empty text for none. May block to fetch a token
 * @param callTimeout longest time for a call. A commit without an answer is settled after this time
 * @param shadowReads share of the reads that are also executed here and compared, once this server
 *     follows
 */
public record UpstreamSettings(
        URI address,
        Optional<SSLContext> tls,
        Supplier<String> authorization,
        Duration callTimeout,
        double shadowReads) {
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    /** INVALID_ARGUMENT unless it is http://HOST[:PORT] or https://HOST[:PORT]. */
    public static URI address(String text) {
        URI address;
        try {
            address = URI.create(text);
        } catch (IllegalArgumentException malformed) {
            throw refused(text);
        }
        boolean known = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
        String path = address.getPath();
        if (!known
                || address.getHost() == null
                || address.getUserInfo() != null
                || address.getQuery() != null
                || (path != null && !path.isEmpty() && !path.equals("/"))) {
            throw refused(text);
        }
        return address;
    }

    private static PetrichorException refused(String text) {
        return PetrichorException.invalid(
                "upstream.url must be http://HOST:PORT, or https://HOST for TLS, such as"
                        + " https://datastore.googleapis.com, not \"{text}\"",
                "text",
                text);
    }

    String host() {
        return address.getHost();
    }

    int port() {
        if (address.getPort() > 0) {
            return address.getPort();
        }
        return tls.isPresent() ? HTTPS_PORT : HTTP_PORT;
    }
}
