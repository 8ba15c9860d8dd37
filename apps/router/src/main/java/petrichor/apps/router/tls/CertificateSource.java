package petrichor.apps.router.tls;

import java.util.List;

/** Where the router finds its certificates. Thread-safe; blocks. */
@FunctionalInterface
public interface CertificateSource {
    /**
     * The files that exist now. Of two certificates for a host, the first one counts; clients that
     * ask for no host or for an unknown one get the first of all.
     */
    List<CertificateFiles> list();
}
