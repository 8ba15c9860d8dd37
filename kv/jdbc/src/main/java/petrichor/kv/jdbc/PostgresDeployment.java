package petrichor.kv.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.deployment.Cluster;
import petrichor.deployment.Dependency;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;

/**
 * Deploys one PostgreSQL server whose only user is Petrichor's, with the cluster's secret as
 * password.
 */
public final class PostgresDeployment implements StoreDeployment {
    private static final String PROGRAMS = "postgresql";
    private static final String PORT = "client";
    private static final String NAME = "petrichor";
    private static final String ACCESS = "pg_hba.conf";

    /** Any client that can reach the listening address and knows the password. */
    private static final String ACCESS_BY_PASSWORD = "host all all all scram-sha-256\n";

    /** Five Petrichor servers with their default number of connections, plus a few for people. */
    private static final int CONNECTIONS_MAX = 200;

    private static final Duration ANSWER_MAX = Duration.ofSeconds(2);

    @Override
    public String store() {
        return PostgresDialect.SCHEME;
    }

    @Override
    public String version() {
        return "15";
    }

    @Override
    public int nodesMax() {
        return 1;
    }

    @Override
    public List<Dependency> supplies() {
        return List.of(
                new Dependency.Programs(
                        PROGRAMS,
                        List.of("initdb", "postgres"),
                        List.of("/usr/lib/postgresql/15/bin"),
                        List.of("postgresql-15")));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of(PORT, 5432);
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        String programs = node.supply(PROGRAMS).toString();
        String data = node.folder().resolve("data").toString();
        String password = node.folder().resolve("password").toString();
        return new NodeRecipe(
                Map.of("password", cluster.secret() + "\n", ACCESS, ACCESS_BY_PASSWORD),
                List.of(
                        List.of(
                                programs + "/initdb",
                                "--pgdata=" + data,
                                "--username=" + NAME,
                                "--pwfile=" + password,
                                "--auth=scram-sha-256",
                                "--encoding=UTF8",
                                "--locale=C")),
                List.of(
                        programs + "/postgres",
                        "-D",
                        data,
                        "-h",
                        node.address(),
                        "-p",
                        "" + node.port(PORT),
                        // A socket's path may not be longer than 107 bytes; no client needs it.
                        "-c",
                        "unix_socket_directories=",
                        "-c",
                        "hba_file=" + node.folder().resolve(ACCESS),
                        "-c",
                        "max_connections=" + CONNECTIONS_MAX),
                Map.of(),
                true);
    }

    /** Ends without waiting for clients to disconnect. */
    @Override
    public String stopSignal() {
        return "INT";
    }

    @Override
    public boolean serves(Cluster cluster, Node node) {
        try (Connection connection = connect(cluster, node)) {
            return connection.isValid((int) ANSWER_MAX.toSeconds());
        } catch (SQLException notYet) {
            return false;
        }
    }

    @Override
    public void whenAllServe(Cluster cluster) {
        String there = "SELECT 1 FROM pg_database WHERE datname = '" + NAME + "'";
        try (Connection connection = connect(cluster, cluster.first());
                Statement statement = connection.createStatement();
                ResultSet database = statement.executeQuery(there)) {
            if (!database.next()) {
                statement.execute("CREATE DATABASE " + NAME);
            }
        } catch (SQLException e) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    e,
                    "PostgreSQL was started but cannot create a database ({reason})",
                    "reason",
                    e.getMessage());
        }
    }

    private static Connection connect(Cluster cluster, Node node) throws SQLException {
        Properties properties = new Properties();
        properties.put("user", NAME);
        properties.put("password", cluster.secret());
        properties.put("connectTimeout", "" + ANSWER_MAX.toSeconds());
        properties.put("socketTimeout", "" + ANSWER_MAX.toSeconds());
        String address =
                "jdbc:postgresql://" + node.address() + ":" + node.port(PORT) + "/postgres";
        return PostgresDialect.connect(address, properties);
    }

    @Override
    public String url(Cluster cluster) {
        Node node = cluster.first();
        return PostgresDialect.SCHEME
                + "://"
                + NAME
                + ":"
                + cluster.secret()
                + "@"
                + node.address()
                + ":"
                + node.port(PORT)
                + "/"
                + NAME;
    }
}
