package petrichor.rpc;

import io.grpc.netty.GrpcSslContexts;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The certificate that identifies this server to its peers as a server of the cluster, and the
 * authorities whose certificates it accepts from them (mutual TLS). Both sides of a connection
 * present a certificate that one of the authorities issued for the name {@link #NAME}; without it
 * the handshake fails. Connections to peers request that name (SNI), so that they share a port with
 * clients.
 *
 * <p>Renewed files are used for new handshakes; existing connections are kept. Thread-safe.
 */
public final class PeerCertificates {
    /** A certificate with this name, from an authority of the cluster, makes its holder a peer. */
    public static final String NAME = "peer.petrichor.internal";

    private static final Logger LOG = LoggerFactory.getLogger(PeerCertificates.class);
    private static final int DNS_NAME = 2;

    /** A resumed session would skip checking certificates that have changed since. */
    private static final long SESSION_S_MAX = 1;

    private final Files files;
    private final AdvancedTlsX509KeyManager own = new AdvancedTlsX509KeyManager();
    private final AdvancedTlsX509TrustManager trusted;
    private volatile SslContext accepting;
    private final SslContext connecting;
    private volatile Instant validUntil = Instant.EPOCH;

    /**
     * PEM files.
     *
     * @param certificate of this server, followed by its chain
     * @param key of the certificate, PKCS 8 without a password
     * @param authorities one or several certificates; several during a change of the authority
     */
    public record Files(Path certificate, Path key, Path authorities) {}

    private PeerCertificates(Files files) throws GeneralSecurityException, IOException {
        this.files = files;
        this.trusted =
                AdvancedTlsX509TrustManager.newBuilder()
                        .setVerification(
                                AdvancedTlsX509TrustManager.Verification
                                        .CERTIFICATE_ONLY_VERIFICATION)
                        .setSslSocketAndEnginePeerVerifier(new NameCheck())
                        .build();
        load();
        this.accepting = newAccepting();
        this.connecting =
                GrpcSslContexts.forClient()
                        .keyManager(own)
                        .trustManager(trusted)
                        .sessionTimeout(SESSION_S_MAX)
                        .build();
    }

    /** FAILED_PRECONDITION if the files cannot be used. */
    public static PeerCertificates read(Files files) {
        try {
            PeerCertificates read = new PeerCertificates(files);
            if (Instant.now().isAfter(read.validUntil)) {
                LOG.warn(
                        "the certificate of this server has expired (cluster.certificate): {}",
                        read.validUntil);
            }
            return read;
        } catch (GeneralSecurityException | IOException unusable) {
            throw unusable(files, unusable);
        }
    }

    private static PetrichorException unusable(Files files, Exception why) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                why,
                "cannot use the certificate {certificate} with the authorities in {authorities} for"
                        + " connections between servers: {reason}",
                "certificate",
                files.certificate(),
                "authorities",
                files.authorities(),
                "reason",
                why.getMessage());
    }

    private SslContext newAccepting() throws SSLException {
        return GrpcSslContexts.configure(SslContextBuilder.forServer(own))
                .trustManager(trusted)
                .clientAuth(ClientAuth.REQUIRE)
                .sessionTimeout(SESSION_S_MAX)
                .build();
    }

    /**
     * Applies to new handshakes. FAILED_PRECONDITION if the files cannot be used; the old ones stay
     * in use.
     */
    public void renew() {
        load();
        try {
            // With the sessions of the old context, a peer could resume one that is no longer
            // trusted.
            accepting = newAccepting();
        } catch (SSLException unusable) {
            throw unusable(files, unusable);
        }
    }

    private void load() {
        PemIdentity identity = PemIdentity.read(files.certificate(), files.key());
        X509Certificate mine = identity.chain().getFirst();
        List<X509Certificate> authorities = PemIdentity.authorities(files.authorities());
        try {
            requireName(mine);
            requireIssuer(mine, identity.chain(), authorities);
            if (!validUntil.equals(Instant.EPOCH)) {
                mine.checkValidity();
            }
            own.updateIdentityCredentials(
                    identity.chain().toArray(X509Certificate[]::new), identity.key());
            trusted.updateTrustCredentials(authorities.toArray(X509Certificate[]::new));
        } catch (GeneralSecurityException | IOException unusable) {
            throw unusable(files, unusable);
        }
        validUntil = identity.validUntil();
    }

    private static void requireIssuer(
            X509Certificate mine, List<X509Certificate> chain, List<X509Certificate> authorities)
            throws CertificateException {
        X509Certificate last = chain.getLast();
        for (X509Certificate authority : authorities) {
            try {
                last.verify(authority.getPublicKey());
                return;
            } catch (GeneralSecurityException another) {
                // Tries the next authority.
            }
        }
        throw new CertificateException(
                "none of the authorities issued the certificate of "
                        + mine.getSubjectX500Principal());
    }

    private static void requireName(X509Certificate certificate) throws CertificateException {
        var names = certificate.getSubjectAlternativeNames();
        if (names == null
                || names.stream()
                        .noneMatch(
                                name ->
                                        name.getFirst().equals(DNS_NAME)
                                                && NAME.equals(name.getLast()))) {
            throw new CertificateException(
                    "the certificate of "
                            + certificate.getSubjectX500Principal()
                            + " is not one of a server: it lacks the DNS name "
                            + NAME);
        }
    }

    /** For the next connection from a peer, which must present a certificate. */
    public SslContext accepting() {
        return accepting;
    }

    /** For connections to peers; requests {@link #NAME}. */
    public SslContext connecting() {
        return connecting;
    }

    /** End of the validity of this server's certificate. */
    public Instant validUntil() {
        return validUntil;
    }

    public Files files() {
        return files;
    }

    /** An authority may have issued certificates for other purposes as well. */
    private static final class NameCheck
            implements AdvancedTlsX509TrustManager.SslSocketAndEnginePeerVerifier {
        @Override
        public void verifyPeerCertificate(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            requireName(chain[0]);
        }

        @Override
        public void verifyPeerCertificate(
                X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            requireName(chain[0]);
        }
    }
}
