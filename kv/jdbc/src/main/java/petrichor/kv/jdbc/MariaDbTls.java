package petrichor.kv.jdbc;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import org.mariadb.jdbc.Configuration;
import org.mariadb.jdbc.HostAddress;
import org.mariadb.jdbc.export.ExceptionFactory;
import org.mariadb.jdbc.plugin.tls.main.DefaultTlsSocketPlugin;
import petrichor.kv.StoreTls;

/**
 * Configures TLS in MariaDB's driver from the same files as for every other store. The driver finds
 * it as a service, by its type; it verifies the host name itself.
 */
public final class MariaDbTls extends DefaultTlsSocketPlugin {
    private static final String TYPE = "petrichor";
    private static final String TRUST = "petrichorTrust";
    private static final String CERTIFICATE = "petrichorCertificate";
    private static final String KEY = "petrichorKey";

    static void configure(Properties properties, StoreTls tls) {
        properties.put("sslMode", tls.verifyHost() ? "verify-full" : "verify-ca");
        properties.put("tlsSocketType", TYPE);
        tls.trust().ifPresent(file -> properties.put(TRUST, file.toString()));
        tls.certificate().ifPresent(file -> properties.put(CERTIFICATE, file.toString()));
        tls.key().ifPresent(file -> properties.put(KEY, file.toString()));
    }

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public TrustManager[] getTrustManager(
            Configuration options, ExceptionFactory failures, HostAddress host) {
        return of(options).trustManagers().getTrustManagers();
    }

    @Override
    public KeyManager @Nullable [] getKeyManager(Configuration options, ExceptionFactory failures) {
        return of(options).keyManagers().map(KeyManagerFactory::getKeyManagers).orElse(null);
    }

    private static StoreTls of(Configuration options) {
        return new StoreTls(
                file(options, TRUST), file(options, CERTIFICATE), file(options, KEY), true);
    }

    private static Optional<Path> file(Configuration options, String name) {
        return Optional.ofNullable(options.nonMappedOptions().getProperty(name)).map(Path::of);
    }
}
