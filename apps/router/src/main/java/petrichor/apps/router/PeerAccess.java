package petrichor.apps.router;

import io.netty.handler.ssl.SslContext;
import java.util.Optional;
import java.util.function.Supplier;
import petrichor.base.PetrichorException;

/**
 * How the routers of a cluster forward requests to each other, at the listener without TLS: with a
 * token, and if the servers of the cluster have certificates, over mutual TLS.
 *
 * @param token that requests of other servers to this one must have
 */
public record PeerAccess(String token, Optional<Tls> tls) {
    private static final int TOKEN_CHARACTERS_MIN = 32;

    /**
     * @param accepting asks for a certificate of the cluster
     * @param connecting presents one
     * @param name of the certificates of all servers
     */
    public record Tls(
            Supplier<SslContext> accepting, Supplier<SslContext> connecting, String name) {}

    public PeerAccess {
        if (token.length() < TOKEN_CHARACTERS_MIN) {
            throw PetrichorException.invalid(
                    "the token of other servers needs at least {charactersMin} characters",
                    "charactersMin",
                    TOKEN_CHARACTERS_MIN);
        }
    }
}
