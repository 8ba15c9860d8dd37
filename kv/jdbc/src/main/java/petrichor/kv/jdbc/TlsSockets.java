package petrichor.kv.jdbc;

import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import javax.net.ssl.SSLSocketFactory;
import org.postgresql.ssl.WrappedFactory;
import petrichor.kv.StoreTls;

/**
 * The socket factory that PostgreSQL's driver instantiates by name, so that it uses the same
 * certificate files as every other store. The driver passes it one text.
 */
public final class TlsSockets extends WrappedFactory {
    private static final String SEPARATOR = "\0";

    /** Called by the driver. */
    public TlsSockets(String files) {
        String[] parts = files.split(SEPARATOR, -1);
        SSLSocketFactory sockets =
                new StoreTls(path(parts[0]), path(parts[1]), path(parts[2]), true)
                        .context()
                        .getSocketFactory();
        this.factory = sockets;
    }

    static void configure(Properties properties, StoreTls tls) {
        properties.put("sslmode", tls.verifyHost() ? "verify-full" : "verify-ca");
        properties.put("sslfactory", TlsSockets.class.getName());
        properties.put(
                "sslfactoryarg",
                text(tls.trust())
                        + SEPARATOR
                        + text(tls.certificate())
                        + SEPARATOR
                        + text(tls.key()));
    }

    private static String text(Optional<Path> file) {
        return file.map(Path::toString).orElse("");
    }

    private static Optional<Path> path(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
    }
}
