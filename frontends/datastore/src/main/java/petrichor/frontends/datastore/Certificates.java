package petrichor.frontends.datastore;

import io.netty.handler.ssl.SslContext;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The certificate for new connections. It can be renewed while the server runs; existing
 * connections keep the previous one. Thread-safe.
 */
final class Certificates {
    private static final Logger LOG = LoggerFactory.getLogger(Certificates.class);

    private final FrontEndSettings.@Nullable Tls files;
    private volatile @Nullable ServerCertificate current;

    /**
     * FAILED_PRECONDITION if the files are invalid.
     *
     * @param files null for plain text
     */
    Certificates(FrontEndSettings.@Nullable Tls files) {
        this.files = files;
        ServerCertificate first = files == null ? null : ServerCertificate.read(files);
        if (first != null && first.isExpired(Instant.now())) {
            LOG.warn("the certificate has expired (tls.certificate): {}", first.validUntil());
        }
        this.current = first;
    }

    /** Whether connections are encrypted; never changes. */
    boolean present() {
        return files != null;
    }

    /** The TLS context for a new connection. */
    SslContext context() {
        return certificate().context();
    }

    Instant validUntil() {
        return certificate().validUntil();
    }

    private ServerCertificate certificate() {
        ServerCertificate certificate = current;
        if (certificate == null) {
            throw new IllegalStateException("this server speaks clear text");
        }
        return certificate;
    }

    /**
     * Reads the files again. FAILED_PRECONDITION if they are invalid; then the previous certificate
     * stays.
     */
    void renew() {
        if (files == null) {
            return;
        }
        ServerCertificate renewed = ServerCertificate.read(files);
        if (renewed.isExpired(Instant.now())) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the certificate {certificateChain} has expired: {validUntil}",
                    "certificateChain",
                    files.certificateChain(),
                    "validUntil",
                    renewed.validUntil());
        }
        current = renewed;
    }
}
