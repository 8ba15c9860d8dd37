package petrichor.apps.router.tls;

import java.time.Instant;
import java.util.Optional;

/**
 * The certificate of a host, and the order of the next one.
 *
 * @param expires empty if there is no certificate for the host
 */
public record CertificateStatus(Optional<Instant> expires, Order order) {
    /** Without TLS. */
    public static final CertificateStatus NONE =
            new CertificateStatus(Optional.empty(), new Manual());

    /** An order by ACME. */
    public sealed interface Order {}

    /** Certificates for the host are not ordered: the operator provides one. */
    public record Manual() implements Order {}

    /** Nothing to do before the certificate is renewed, or the order starts soon. */
    public record Waiting() implements Order {}

    public record Running() implements Order {}

    /**
     * The last attempt failed; a certificate from before stays in use.
     *
     * @param attempts that have failed in a row
     * @param next when the order is repeated
     */
    public record Failed(int attempts, String reason, Instant next) implements Order {}
}
