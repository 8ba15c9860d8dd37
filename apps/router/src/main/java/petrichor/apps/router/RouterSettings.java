package petrichor.apps.router;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import petrichor.apps.router.http.TrustedProxies;
import petrichor.base.PetrichorException;

/**
 * Settings of a router.
 *
 * @param threads event loops
 * @param httpsPort the port of redirects to https
 * @param platformToken the value of the field {@link #PLATFORM_FIELD} in requests of the platform
 *     itself, such as deliveries of tasks: these may set header fields that apps trust and use *
 *     paths below {@code /_ah/}. The field never reaches an app.
 * @param proxies in front of the router
 * @param peers the routers of other servers; empty for a standalone server
 */
public record RouterSettings(
        List<Listener> listeners,
        int threads,
        int httpsPort,
        Optional<String> platformToken,
        RouterLimits limits,
        TrustedProxies proxies,
        Optional<PeerAccess> peers) {
    /** The header field with the platform's token. */
    public static final String PLATFORM_FIELD = "X-Petrichor-Platform";

    /**
     * Of requests of the platform, or of another server, that go to this version without a route:
     * {@code APP/SERVICE/VERSION}. The field never reaches an app.
     */
    public static final String VERSION_FIELD = "X-Petrichor-Version";

    /**
     * Of requests of the platform with the form of an upload to Blobstore. These are requests of
     * users: the handler decides who may send them.
     */
    public static final String UPLOAD_FIELD = "X-AppEngine-BlobUpload";

    private static final int TOKEN_CHARACTERS_MIN = 32;

    /** Where the router listens, and whether with TLS. */
    public record Listener(InetSocketAddress address, Security security) {
        public static Listener http(InetSocketAddress address) {
            return new Listener(address, Security.CLEAR);
        }

        public static Listener https(InetSocketAddress address) {
            return new Listener(address, Security.TLS);
        }
    }

    /** Whether a listener encrypts. */
    public enum Security {
        CLEAR,
        TLS
    }

    public RouterSettings {
        listeners = List.copyOf(listeners);
        if (listeners.isEmpty() || threads <= 0) {
            throw PetrichorException.invalid("a router needs a listener and a thread");
        }
        if (platformToken.isPresent() && platformToken.get().length() < TOKEN_CHARACTERS_MIN) {
            throw PetrichorException.invalid(
                    "the platform's token needs at least {charactersMin} characters",
                    "charactersMin",
                    TOKEN_CHARACTERS_MIN);
        }
    }

    /** Without proxies in front of the router. */
    public RouterSettings(
            List<Listener> listeners,
            int threads,
            int httpsPort,
            Optional<String> platformToken,
            RouterLimits limits) {
        this(
                listeners,
                threads,
                httpsPort,
                platformToken,
                limits,
                TrustedProxies.NONE,
                Optional.empty());
    }

    /** The same, behind these proxies. */
    public RouterSettings behind(TrustedProxies others) {
        return new RouterSettings(
                listeners, threads, httpsPort, platformToken, limits, others, peers);
    }

    /** The same, in a cluster. */
    public RouterSettings among(Optional<PeerAccess> servers) {
        return new RouterSettings(
                listeners, threads, httpsPort, platformToken, limits, proxies, servers);
    }

    /** One listener without TLS, and all defaults. */
    public static RouterSettings http(InetSocketAddress address) {
        return new RouterSettings(
                List.of(Listener.http(address)),
                Runtime.getRuntime().availableProcessors(),
                443,
                Optional.empty(),
                RouterLimits.DEFAULT);
    }
}
