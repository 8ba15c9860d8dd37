package petrichor.frontends.postgres;

import java.time.Duration;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the front end.
 *
 * @param port 0 for any free port
 * @param connectionsMax further ones are refused with 53300
 * @param authenticationWithin time for the start of a connection
 * @param messageBytesMax longest message of a client
 * @param tls with the current certificate; null if the server has none: clients that require TLS
 *     disconnect
 * @param tlsRequired whether connections without TLS are refused
 */
public record PostgresSettings(
        String host,
        int port,
        int connectionsMax,
        Duration authenticationWithin,
        int messageBytesMax,
        @Nullable Supplier<SSLContext> tls,
        boolean tlsRequired) {
    public PostgresSettings {
        if (connectionsMax < 1 || messageBytesMax < 1024 || authenticationWithin.isNegative()) {
            throw new IllegalArgumentException("limits must be positive");
        }
        if (tlsRequired && tls == null) {
            throw new IllegalArgumentException("TLS is required, but there is no certificate");
        }
    }

    /** With other values for TLS. */
    public PostgresSettings with(@Nullable Supplier<SSLContext> certificate, boolean required) {
        return new PostgresSettings(
                host,
                port,
                connectionsMax,
                authenticationWithin,
                messageBytesMax,
                certificate,
                required);
    }

    /** Without TLS, for loopback addresses. */
    public static PostgresSettings plain(String host, int port) {
        return new PostgresSettings(host, port, 100, Duration.ofSeconds(30), 64 << 20, null, false);
    }
}
