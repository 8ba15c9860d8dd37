/**
 * Certificates of the router. {@link petrichor.apps.router.tls.RouterCertificates} chooses one by
 * the host that a client asks for (SNI), and reads files that have changed again. {@link
 * petrichor.apps.router.tls.DevelopmentAuthority} issues certificates for development.
 */
@NullMarked
package petrichor.apps.router.tls;

import org.jspecify.annotations.NullMarked;
