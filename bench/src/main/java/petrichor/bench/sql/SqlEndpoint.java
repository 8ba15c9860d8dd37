package petrichor.bench.sql;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where clients of PostgreSQL connect to, on the loopback address.
 *
 * @param name in tables
 * @param cpu processor time that the server has used so far; null if it is unknown
 */
public record SqlEndpoint(
        String name,
        int port,
        String user,
        String password,
        String database,
        @Nullable Supplier<Duration> cpu) {
    public static final String HOST = "127.0.0.1";

    /** With each transaction serializable. */
    public Connection connect() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("options", "-c default_transaction_isolation=serializable");
        // As servers measure it: the driver's own threshold would differ by the warm-up.
        properties.setProperty("prepareThreshold", "1");
        return DriverManager.getConnection(
                "jdbc:postgresql://" + HOST + ":" + port + "/" + database, properties);
    }

    @Override
    public String toString() {
        return name;
    }
}
