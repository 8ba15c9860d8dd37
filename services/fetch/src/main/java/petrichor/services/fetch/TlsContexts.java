package petrichor.services.fetch;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * TLS to servers.
 *
 * @param validating accepts certificates of authorities that this machine trusts
 * @param trusting accepts every certificate: for apps that ask not to validate
 */
public record TlsContexts(SSLContext validating, SSLContext trusting) {
    public static TlsContexts system() {
        try {
            return trustedBy(SSLContext.getDefault());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime has no TLS", e);
        }
    }

    /** With other authorities than those of the machine. */
    public static TlsContexts trustedBy(SSLContext validating) {
        try {
            SSLContext trusting = SSLContext.getInstance("TLS");
            trusting.init(null, new TrustManager[] {new Everyone()}, null);
            return new TlsContexts(validating, trusting);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime has no TLS", e);
        }
    }

    /** The app asked for it: without validation, the server may be anybody. */
    private static final class Everyone extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
