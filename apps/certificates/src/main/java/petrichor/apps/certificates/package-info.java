/**
 * Certificates for the domains of apps from an authority with ACME (RFC 8555), such as Let's
 * Encrypt. {@link petrichor.apps.certificates.CertificateOrders} decides when to order, {@link
 * petrichor.apps.certificates.AcmeClient} does it through acme4j, {@link
 * petrichor.apps.certificates.AcmeFolder} keeps account, certificates and failures. The router
 * answers the challenges ({@link petrichor.apps.router.tls.AcmeChallenges}), and serves the files.
 */
@NullMarked
package petrichor.apps.certificates;

import org.jspecify.annotations.NullMarked;
