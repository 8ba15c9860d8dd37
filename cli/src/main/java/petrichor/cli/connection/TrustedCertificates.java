package petrichor.cli.connection;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/** The certificates that a command trusts: the system's, or those in a PEM file. */
public final class TrustedCertificates {
    private TrustedCertificates() {}

    /**
     * INVALID_ARGUMENT if the file contains no certificate.
     *
     * @param file PEM; null for Java's default trust store
     */
    public static SSLContext context(@Nullable Path file) {
        try {
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(file == null ? null : store(file));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read --tls-trust " + file, unreadable);
        } catch (GeneralSecurityException unusable) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    unusable,
                    "--tls-trust {file} is not a PEM file with certificates",
                    "file",
                    file);
        }
    }

    private static KeyStore store(Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(file)) {
            for (Certificate one :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("trusted-" + store.size(), one);
            }
        }
        if (store.size() == 0) {
            throw new CertificateException("no certificate in it");
        }
        return store;
    }
}
