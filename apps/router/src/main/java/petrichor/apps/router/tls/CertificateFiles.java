package petrichor.apps.router.tls;

import java.nio.file.Path;

/**
 * The PEM files of a certificate.
 *
 * @param chain the certificate, followed by those that lead to its authority
 * @param key in PKCS 8, without a password
 */
public record CertificateFiles(Path chain, Path key) {}
