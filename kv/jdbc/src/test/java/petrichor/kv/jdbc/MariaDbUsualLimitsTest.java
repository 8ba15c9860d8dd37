package petrichor.kv.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.mariadb.jdbc.Driver;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;
import petrichor.kv.testkit.RealStore;
import petrichor.kv.testkit.SizeConformance;

/**
 * Large rows on a MariaDB with the default limits of its packages; {@code store start} raises one
 * of them.
 */
class MariaDbUsualLimitsTest implements SizeConformance {
    private static final long USUAL_PACKET = 16L << 20;
    private static final long RAISED_PACKET = 256L << 20;
    private static int opened;

    @BeforeEach
    void usual() throws SQLException {
        limit(USUAL_PACKET);
    }

    @AfterEach
    void raised() throws SQLException {
        limit(RAISED_PACKET);
    }

    private static void limit(long packetBytes) throws SQLException {
        StoreUrl server = StoreUrl.parse(RealStore.of(new MariaDbDeployment()).url());
        Properties properties = new Properties();
        properties.put("user", "root");
        properties.put("password", server.password().orElse(""));
        try (Connection connection =
                        Objects.requireNonNull(
                                new Driver()
                                        .connect(
                                                "jdbc:mariadb://" + server.nodes().getFirst() + "/",
                                                properties));
                Statement statement = connection.createStatement()) {
            statement.execute("SET GLOBAL max_allowed_packet = " + packetBytes);
        }
    }

    @Override
    public KeyValueStore open() {
        opened++;
        return new JdbcPlugin().open(url());
    }

    @Override
    public KeyValueStore reopen(KeyValueStore store) {
        store.close();
        return new JdbcPlugin().open(url());
    }

    private static StoreUrl url() {
        return StoreUrl.parse(
                RealStore.of(new MariaDbDeployment()).url() + "usual" + opened + "?timeout=60s");
    }
}
