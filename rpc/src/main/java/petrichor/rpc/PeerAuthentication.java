package petrichor.rpc;

import io.grpc.Metadata;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * How the servers of a cluster authenticate each other. A peer has authorized its client already,
 * so that it may do everything.
 *
 * @param token the shared secret that peers send; empty: every caller is trusted
 */
public record PeerAuthentication(Optional<String> token) {
    static final Metadata.Key<String> TOKEN =
            Metadata.Key.of("petrichor-cluster-token", Metadata.ASCII_STRING_MARSHALLER);

    /** Every caller is a peer: for servers that listen on loopback only. */
    public static final PeerAuthentication NONE = new PeerAuthentication(Optional.empty());

    /** Whether a peer must prove that it is one. */
    public boolean required() {
        return token.isPresent();
    }

    /** Puts this server's own proof into the headers of a call. */
    void present(Metadata headers) {
        token.ifPresent(secret -> headers.put(TOKEN, secret));
    }

    /** UNAUTHENTICATED unless the caller is a server of this cluster. */
    void require(Metadata headers) {
        if (token.isPresent() && !matches(token.get(), headers.get(TOKEN))) {
            throw new PetrichorException(
                    ErrorCode.UNAUTHENTICATED,
                    "only servers of this cluster may call this: the caller must have the same"
                            + " cluster.token");
        }
    }

    private static boolean matches(String secret, @Nullable String given) {
        return given != null
                && MessageDigest.isEqual(
                        secret.getBytes(StandardCharsets.UTF_8),
                        given.getBytes(StandardCharsets.UTF_8));
    }
}
