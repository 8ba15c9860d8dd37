package petrichor.kv;

import java.util.Optional;
import java.util.regex.Pattern;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Recognises failed TLS handshakes of any driver, by text, since drivers wrap, rename and quote the
 * exceptions of Java's TLS. Such a failure persists until a certificate or the address is changed,
 * so it is not retried.
 */
final class TlsFailures {
    /** Longer than any real chain of causes. */
    private static final int CAUSES_MAX = 20;

    private static final Pattern WRONG_HOST =
            Pattern.compile(
                    "No subject alternative|No name matching|SSLPeerUnverifiedException"
                            + "|hostname .* could not be verified|doesn't correspond to certificate"
                            + "|Hostname .* not verified|Failed to verify (both|host)"
                            + "|Certificate for .* doesn't match",
                    Pattern.CASE_INSENSITIVE);
    private static final Pattern EXPIRED =
            Pattern.compile("CertificateExpiredException|NotAfter:|certificate_expired");
    private static final Pattern UNTRUSTED =
            Pattern.compile(
                    "PKIX path|unable to find valid certification path|CertPathValidatorException"
                            + "|unable to find certificate|trustAnchors|No trusted certificate"
                            + "|self.signed certificate",
                    Pattern.CASE_INSENSITIVE);
    private static final Pattern REFUSED =
            Pattern.compile(
                    "bad_certificate|certificate_required|certificate_unknown|unknown_ca"
                            + "|access_denied alert|requires a valid client certificate"
                            + "|connection requires .*certificate",
                    Pattern.CASE_INSENSITIVE);
    private static final Pattern PLAIN =
            Pattern.compile(
                    "plaintext connection\\?|not an SSL/TLS record|does not support SSL"
                            + "|ssl not enabled|Unsupported or unrecognized SSL message",
                    Pattern.CASE_INSENSITIVE);

    private TlsFailures() {}

    /** Empty if it is not a failed handshake. */
    static Optional<PetrichorException> of(String store, Throwable failure) {
        String text = text(failure);
        return reason(text)
                .map(
                        reason ->
                                PetrichorException.of(
                                        ErrorCode.FAILED_PRECONDITION,
                                        failure,
                                        "no TLS connection to {store}: {reason}",
                                        "reason",
                                        reason,
                                        "store",
                                        store));
    }

    private static Optional<String> reason(String text) {
        if (EXPIRED.matcher(text).find()) {
            return Optional.of(
                    "the server's certificate, or that of its authority, has expired; renew it");
        }
        if (WRONG_HOST.matcher(text).find()) {
            return Optional.of(
                    "the server's certificate does not name the host of the address; use a host"
                            + " that the certificate names, or have it issued for this one");
        }
        if (UNTRUSTED.matcher(text).find()) {
            return Optional.of(
                    "the server's certificate is not trusted; set tls-trust to a PEM file with the"
                            + " certificate of its authority");
        }
        if (REFUSED.matcher(text).find()) {
            return Optional.of(
                    "the server rejects this client's certificate, or requires one; set"
                            + " tls-certificate and tls-key");
        }
        if (PLAIN.matcher(text).find()) {
            return Optional.of(
                    "the server does not use TLS on this port; use its TLS port, or remove tls=on");
        }
        return Optional.empty();
    }

    private static String text(Throwable failure) {
        StringBuilder text = new StringBuilder();
        Throwable one = failure;
        for (int depth = 0; one != null && depth < CAUSES_MAX; depth++) {
            text.append(one).append('\n');
            for (Throwable beside : one.getSuppressed()) {
                text.append(beside).append('\n');
            }
            one = one.getCause();
        }
        return text.toString();
    }
}
