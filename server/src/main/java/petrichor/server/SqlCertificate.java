package petrichor.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.datastore.FrontEndSettings;
import petrichor.rpc.PemIdentity;

/**
 * The server's certificate for connections of SQL. Reads the files again when they have changed; if
 * they are unusable then, the former certificate stays in use. Thread-safe.
 */
final class SqlCertificate implements Supplier<SSLContext> {
    private static final Logger LOG = LoggerFactory.getLogger(SqlCertificate.class);

    private final FrontEndSettings.Tls files;
    private SSLContext current;
    private List<String> seen;

    private SqlCertificate(FrontEndSettings.Tls files) {
        this.files = files;
        this.seen = state(files);
        this.current = context(files);
    }

    /** FAILED_PRECONDITION if the files are invalid. */
    static SqlCertificate read(FrontEndSettings.Tls files) {
        return new SqlCertificate(files);
    }

    @Override
    public synchronized SSLContext get() {
        List<String> now = state(files);
        if (!now.equals(seen)) {
            seen = now;
            try {
                current = context(files);
            } catch (PetrichorException unusable) {
                LOG.warn("the former certificate stays in use for SQL: {}", unusable.getMessage());
            }
        }
        return current;
    }

    private static List<String> state(FrontEndSettings.Tls files) {
        List<String> state = new ArrayList<>();
        for (Path file : List.of(files.certificateChain(), files.privateKey())) {
            try {
                state.add(Files.getLastModifiedTime(file) + " " + Files.size(file));
            } catch (IOException missing) {
                state.add("missing");
            }
        }
        return state;
    }

    private static SSLContext context(FrontEndSettings.Tls files) {
        PemIdentity identity = PemIdentity.read(files.certificateChain(), files.privateKey());
        char[] none = new char[0];
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry(
                    "own", identity.key(), none, identity.chain().toArray(X509Certificate[]::new));
            KeyManagerFactory keys =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, none);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException | IOException unusable) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    unusable,
                    "cannot use the certificate {certificateChain} for TLS: {reason}",
                    "certificateChain",
                    files.certificateChain(),
                    "reason",
                    unusable.getMessage());
        }
    }
}
