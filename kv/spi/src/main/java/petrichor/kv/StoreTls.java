package petrichor.kv;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * TLS to a store or to ZooKeeper, with the same address options everywhere: {@code tls=on}, {@code
 * tls-trust=FILE}, {@code tls-certificate=FILE} with {@code tls-key=FILE}, {@code
 * tls-verify-host=off}. All files are PEM, a key is PKCS 8 without a password; they are read when a
 * connection is opened. Certificates and host names are verified, unless the address disables the
 * latter.
 *
 * @param trust certificates of the trusted authorities; empty: those that Java trusts
 * @param certificate of this client, followed by its chain; empty if the server requires none
 * @param key of that certificate
 * @param verifyHost whether the server's certificate must name the host of the address
 */
public record StoreTls(
        Optional<Path> trust, Optional<Path> certificate, Optional<Path> key, boolean verifyHost) {
    private static final String SWITCH = "tls";
    private static final String TRUST = "tls-trust";
    private static final String CERTIFICATE = "tls-certificate";
    private static final String KEY = "tls-key";
    private static final String VERIFY_HOST = "tls-verify-host";

    /** The driver handles slower servers: it waits as long as the address allows. */
    private static final Duration HANDSHAKE_MAX = Duration.ofSeconds(5);

    private static final Set<String> OPTIONS = Set.of(SWITCH, TRUST, CERTIFICATE, KEY, VERIFY_HOST);

    /** The TLS options, and the given options of a plugin. */
    public static Set<String> optionsAnd(Set<String> others) {
        Set<String> all = new TreeSet<>(OPTIONS);
        all.addAll(others);
        return all;
    }

    /** Empty if the address does not enable TLS; INVALID_ARGUMENT if its options contradict. */
    public static Optional<StoreTls> of(StoreUrl url) {
        return of(url, false);
    }

    /**
     * @param standard whether TLS is on by default
     */
    public static Optional<StoreTls> of(StoreUrl url, boolean standard) {
        if (!isOn(url, SWITCH, standard)) {
            for (String option : url.options().keySet()) {
                if (OPTIONS.contains(option) && !option.equals(SWITCH)) {
                    throw PetrichorException.invalid(
                            "the address of the store {url} has the option '{option}' without"
                                    + " tls=on; add it, or remove the option",
                            "url",
                            url,
                            "option",
                            option);
                }
            }
            return Optional.empty();
        }
        Optional<Path> certificate = file(url, CERTIFICATE);
        if (certificate.isPresent() != file(url, KEY).isPresent()) {
            throw PetrichorException.invalid(
                    "the address of the store {url} needs both tls-certificate and tls-key, or"
                            + " neither",
                    "url",
                    url);
        }
        return Optional.of(
                new StoreTls(
                        file(url, TRUST),
                        certificate,
                        file(url, KEY),
                        isOn(url, VERIFY_HOST, true)));
    }

    private static Optional<Path> file(StoreUrl url, String option) {
        return Optional.ofNullable(url.options().get(option)).map(Path::of);
    }

    private static boolean isOn(StoreUrl url, String option, boolean standard) {
        String value = url.option(option, standard ? "on" : "off");
        return switch (value) {
            case "on" -> true;
            case "off" -> false;
            default ->
                    throw PetrichorException.invalid(
                            "the option '{option}' of a store's address is on or off, not"
                                    + " '{value}'",
                            "option",
                            option,
                            "value",
                            value);
        };
    }

    /** FAILED_PRECONDITION, naming the file, if a file cannot be used. */
    public TrustManagerFactory trustManagers() {
        try {
            TrustManagerFactory factory =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(trust.isPresent() ? PemFiles.trusted(trust.get()) : null);
            return factory;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Empty without a client certificate; fails like {@link #trustManagers}. */
    public Optional<KeyManagerFactory> keyManagers() {
        if (certificate.isEmpty() || key.isEmpty()) {
            return Optional.empty();
        }
        try {
            char[] none = new char[0];
            KeyStore own = PemFiles.identity(certificate.get(), key.get(), none);
            KeyManagerFactory factory =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(own, none);
            return Optional.of(factory);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** For drivers that accept one; the caller must verify the host name. */
    public SSLContext context() {
        TrustManager[] trusted = trustManagers().getTrustManagers();
        KeyManager @Nullable [] own =
                keyManagers().map(KeyManagerFactory::getKeyManagers).orElse(null);
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own, trusted, null);
            return context;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * Performs a TLS handshake and closes the connection: for drivers that report a failed
     * handshake as a server that does not respond. FAILED_PRECONDITION if the server's certificate
     * is not accepted, or if the server does not use TLS.
     *
     * @param store its address, for errors
     * @return false if no server responds
     */
    public boolean check(String store, String host, int port, Duration timeout) {
        int millis = (int) Math.min(HANDSHAKE_MAX.toMillis(), timeout.toMillis());
        try (Socket plain = new Socket()) {
            plain.connect(new InetSocketAddress(host, port), millis);
            plain.setSoTimeout(millis);
            try (SSLSocket socket =
                    (SSLSocket)
                            context().getSocketFactory().createSocket(plain, host, port, true)) {
                if (verifyHost) {
                    SSLParameters parameters = socket.getSSLParameters();
                    parameters.setEndpointIdentificationAlgorithm("HTTPS");
                    socket.setSSLParameters(parameters);
                }
                socket.startHandshake();
                return true;
            }
        } catch (IOException failed) {
            Optional<PetrichorException> reason = TlsFailures.of(store, failed);
            if (reason.isPresent()) {
                throw reason.get();
            }
            return false;
        }
    }
}
