package petrichor.rpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Mutual authentication of the servers of a cluster: by certificates, by a shared secret, or by
 * both. A peer has already authorized its client, so it may do everything.
 *
 * @param token the shared secret that peers send with each stream and large call
 * @param certificates with which connections between servers are encrypted and authenticated
 */
public record PeerAuthentication(Optional<String> token, Optional<PeerCertificates> certificates) {
    static final Metadata.Key<String> TOKEN =
            Metadata.Key.of("petrichor-cluster-token", Metadata.ASCII_STRING_MARSHALLER);

    /** Every caller is a peer: for servers that listen on loopback only. */
    public static final PeerAuthentication NONE =
            new PeerAuthentication(Optional.empty(), Optional.empty());

    /** Authentication by a shared secret, on unencrypted connections. */
    public static PeerAuthentication token(String secret) {
        return new PeerAuthentication(Optional.of(secret), Optional.empty());
    }

    /** Whether peers must authenticate. */
    public boolean required() {
        return token.isPresent() || certificates.isPresent();
    }

    /** Adds this server's own token to the headers of a call. */
    void present(Metadata headers) {
        token.ifPresent(secret -> headers.put(TOKEN, secret));
    }

    /** UNAUTHENTICATED unless the caller is a server of this cluster. */
    void require(Attributes connection, Metadata headers) {
        if (certificates.isPresent() && !isVerified(connection)) {
            throw PetrichorException.of(
                    ErrorCode.UNAUTHENTICATED,
                    "only servers of this cluster may call this: the caller must have a"
                            + " certificate of this server's cluster.authority");
        }
        if (token.isPresent() && !matches(token.get(), headers.get(TOKEN))) {
            throw PetrichorException.of(
                    ErrorCode.UNAUTHENTICATED,
                    "only servers of this cluster may call this: the caller must have the same"
                            + " cluster.token");
        }
    }

    /** Only connections of peers are asked for a certificate, which the handshake verifies. */
    private static boolean isVerified(Attributes connection) {
        SSLSession session = connection.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        try {
            return session != null && session.getPeerCertificates().length > 0;
        } catch (SSLPeerUnverifiedException noCertificate) {
            return false;
        }
    }

    private static boolean matches(String secret, @Nullable String given) {
        return given != null
                && MessageDigest.isEqual(
                        secret.getBytes(StandardCharsets.UTF_8),
                        given.getBytes(StandardCharsets.UTF_8));
    }
}
