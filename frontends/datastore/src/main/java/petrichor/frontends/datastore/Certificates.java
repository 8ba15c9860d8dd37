package petrichor.frontends.datastore;

import io.netty.handler.ssl.SslContext;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The certificate that new connections see. A renewed one replaces it while the server runs;
 * connections keep the one that they began with. Safe for any thread.
 */
final class Certificates {
    private static final Logger LOG = LoggerFactory.getLogger(Certificates.class);

    private final FrontEndSettings.@Nullable Tls files;
    private volatile @Nullable ServerCertificate current;

    /**
     * FAILED_PRECONDITION if the files cannot be used.
     *
     * @param files null for clear text
     */
    Certificates(FrontEndSettings.@Nullable Tls files) {
        this.files = files;
        ServerCertificate first = files == null ? null : ServerCertificate.read(files);
        if (first != null && first.isExpired(Instant.now())) {
            LOG.warn("the certificate has expired (tls.certificate): {}", first.validUntil());
        }
        this.current = first;
    }

    /** Whether connections are encrypted; does not change. */
    boolean present() {
        return files != null;
    }

    /** For one connection. */
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

    /** Reads the files again. FAILED_PRECONDITION if they cannot be used; the old ones stay. */
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
