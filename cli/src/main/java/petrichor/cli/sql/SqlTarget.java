package petrichor.cli.sql;

import java.net.ConnectException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Properties;
import org.postgresql.core.BaseConnection;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A database at a SQL port, and how to connect to it.
 *
 * @param database PROJECT or PROJECT/DATABASE
 * @param password empty if none is needed
 */
public record SqlTarget(
        String host, int port, String database, String user, String password, Encryption tls) {
    private static final int CONNECT_MAX_S = 10;

    /** Whether the connection is encrypted. */
    public sealed interface Encryption {
        /** Plain text; SCRAM-SHA-256 does not send the password. */
        record None() implements Encryption {}

        /**
         * Encrypted, with a certificate for the host's name.
         *
         * @param authorities PEM file; empty for those that Java trusts
         */
        record Verified(Optional<Path> authorities) implements Encryption {}
    }

    /**
     * Connects.
     *
     * @throws PetrichorException UNAVAILABLE, UNAUTHENTICATED or NOT_FOUND with the server's words
     */
    public BaseConnection open() {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        if (!password.isEmpty()) {
            properties.setProperty("password", password);
        }
        properties.setProperty("ApplicationName", "petrichor sql");
        properties.setProperty("connectTimeout", Integer.toString(CONNECT_MAX_S));
        properties.setProperty("binaryTransfer", "false");
        properties.setProperty("prepareThreshold", "0");
        switch (tls) {
            case Encryption.None() -> properties.setProperty("sslmode", "disable");
            case Encryption.Verified(Optional<Path> authorities) -> {
                properties.setProperty("sslmode", "verify-full");
                if (authorities.isPresent()) {
                    properties.setProperty("sslrootcert", authorities.get().toString());
                } else {
                    properties.setProperty(
                            "sslfactory", "org.postgresql.ssl.DefaultJavaSSLFactory");
                }
            }
        }
        String url =
                "jdbc:postgresql://"
                        + (host.contains(":") ? "[" + host + "]" : host)
                        + ":"
                        + port
                        + "/"
                        + URLEncoder.encode(database, StandardCharsets.UTF_8);
        try {
            return DriverManager.getConnection(url, properties).unwrap(BaseConnection.class);
        } catch (SQLException refused) {
            throw failure(refused);
        }
    }

    private PetrichorException failure(SQLException refused) {
        if (refused.getCause() instanceof ConnectException) {
            return PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    refused,
                    "No server listens for SQL at {host}:{port}. Start one with `petrichor up`, or"
                            + " name another address with --host and --port.",
                    "host",
                    host,
                    "port",
                    port);
        }
        String state = String.valueOf(refused.getSQLState());
        ErrorCode code =
                state.startsWith("28")
                        ? ErrorCode.UNAUTHENTICATED
                        : state.startsWith("3D") ? ErrorCode.NOT_FOUND : ErrorCode.UNAVAILABLE;
        return PetrichorException.of(
                code,
                refused,
                "cannot connect to {database} at {host}:{port}: {reason}",
                "database",
                database,
                "host",
                host,
                "port",
                port,
                "reason",
                String.valueOf(refused.getMessage()).lines().findFirst().orElse(""));
    }
}
