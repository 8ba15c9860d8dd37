package petrichor.kv.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.mariadb.jdbc.Driver;
import petrichor.deployment.Cluster;
import petrichor.deployment.Dependency;
import petrichor.deployment.Node;
import petrichor.deployment.NodeRecipe;
import petrichor.deployment.StoreDeployment;

/**
 * Deploys MariaDB: a single node is a plain server, several nodes are a Galera cluster, in which
 * every node has all rows. Its only user is Petrichor's, with the cluster's secret as password; a
 * new node gets its rows from another node by rsync. The script {@code mariadb-node.sh} determines
 * whether a node bootstraps the cluster or joins it.
 */
public final class MariaDbDeployment implements StoreDeployment {
    private static final String SERVER = "server";
    private static final String TOOLS = "tools";
    private static final String CLIENT_PORT = "client";
    private static final String GROUP_PORT = "group";
    private static final String INCREMENT_PORT = "increment";
    private static final String SNAPSHOT_PORT = "snapshot";
    private static final String NAME = "petrichor";
    private static final String SCRIPT = "mariadb-node.sh";
    private static final Duration ANSWER_MAX = Duration.ofSeconds(2);

    /** The same for both supplies, so that they are unpacked into one place. */
    private static final List<String> PACKAGES = List.of("mariadb-server", "galera-4", "rsync");

    @Override
    public String store() {
        return MariaDbDialect.SCHEME;
    }

    @Override
    public String version() {
        return "10.11";
    }

    @Override
    public int nodesMax() {
        return 3;
    }

    @Override
    public List<Dependency> supplies() {
        return List.of(
                new Dependency.Programs(
                        SERVER, List.of("mariadbd"), List.of("/usr/sbin"), PACKAGES),
                new Dependency.Programs(
                        TOOLS,
                        List.of("mariadb-install-db", "rsync"),
                        List.of("/usr/bin"),
                        PACKAGES));
    }

    @Override
    public Map<String, Integer> ports() {
        return Map.of(
                CLIENT_PORT, 3306, GROUP_PORT, 4567, INCREMENT_PORT, 4568, SNAPSHOT_PORT, 4444);
    }

    @Override
    public NodeRecipe recipe(Cluster cluster, Node node) {
        Path base = node.supply(SERVER).resolve("..").normalize();
        String data = node.folder().resolve("data").toString();
        return new NodeRecipe(
                Map.of(
                        "my.cnf", settings(cluster, node, base),
                        "users.sql", users(cluster),
                        "node.sh", script()),
                List.of(
                        List.of(
                                node.supply(TOOLS) + "/mariadb-install-db",
                                "--no-defaults",
                                "--basedir=" + base,
                                "--datadir=" + data,
                                "--auth-root-authentication-method=normal",
                                "--skip-test-db",
                                "--skip-name-resolve")),
                command(cluster, node, data),
                Map.of(
                        "PATH",
                        node.supply(SERVER)
                                + ":"
                                + node.supply(TOOLS)
                                + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"),
                true);
    }

    /**
     * The script, the server with its settings, and the addresses and folders of the other nodes.
     */
    private static List<String> command(Cluster cluster, Node node, String data) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "sh",
                                node.folder().resolve("node.sh").toString(),
                                node.supply(SERVER) + "/mariadbd",
                                node.folder().resolve("my.cnf").toString(),
                                data));
        for (Node other : cluster.nodes()) {
            if (other.number() != node.number()) {
                command.add(other.address());
                command.add("" + other.port(GROUP_PORT));
                command.add(other.folder().resolve("data").toString());
            }
        }
        return command;
    }

    private static String settings(Cluster cluster, Node node, Path base) {
        String settings =
                """
                [mariadbd]
                basedir = %1$s
                lc-messages-dir = %1$s/share/mysql
                plugin-dir = %1$s/lib/mysql/plugin
                datadir = %2$s/data
                # Relative to the data: a socket's path may not be longer than 107 bytes.
                socket = server.sock
                pid-file = server.pid
                bind-address = %3$s
                port = %4$d
                skip-name-resolve
                init-file = %2$s/users.sql
                max-connections = 200
                max-allowed-packet = 256M
                innodb-flush-log-at-trx-commit = 1
                innodb-buffer-pool-size = 128M
                """
                        .formatted(base, node.folder(), node.address(), node.port(CLIENT_PORT));
        return cluster.nodes().size() == 1 ? settings : settings + group(cluster, node, base);
    }

    private static String group(Cluster cluster, Node node, Path base) {
        String members =
                cluster.nodes().stream()
                        .map(one -> one.address() + ":" + one.port(GROUP_PORT))
                        .collect(Collectors.joining(","));
        return """
        binlog-format = ROW
        innodb-autoinc-lock-mode = 2
        wsrep-on = ON
        wsrep-provider = %1$s/lib/galera/libgalera_smm.so
        wsrep-cluster-name = %2$s
        wsrep-cluster-address = gcomm://%3$s
        wsrep-node-name = node%4$d
        wsrep-node-address = %5$s:%6$d
        wsrep-provider-options = "base_host=%5$s;base_port=%6$d;gmcast.listen_addr=tcp://%5$s:%6$d;ist.recv_addr=%5$s:%7$d"
        wsrep-sst-method = rsync
        wsrep-sst-receive-address = %5$s:%8$d
        """
                .formatted(
                        base,
                        cluster.name(),
                        members,
                        node.number(),
                        node.address(),
                        node.port(GROUP_PORT),
                        node.port(INCREMENT_PORT),
                        node.port(SNAPSHOT_PORT));
    }

    /** Run by the server at each start. A fresh server accepts root without a password. */
    private static String users(Cluster cluster) {
        return """
        CREATE USER IF NOT EXISTS '%1$s'@'%%' IDENTIFIED BY '%2$s';
        GRANT ALL PRIVILEGES ON `%1$s%%`.* TO '%1$s'@'%%';
        DELETE FROM mysql.global_priv WHERE User = 'root' AND Host <> '%%';
        FLUSH PRIVILEGES;
        CREATE USER IF NOT EXISTS 'root'@'%%' IDENTIFIED BY '%2$s';
        GRANT ALL PRIVILEGES ON *.* TO 'root'@'%%' WITH GRANT OPTION;
        """
                .formatted(NAME, cluster.secret());
    }

    @Override
    public boolean serves(Cluster cluster, Node node) {
        boolean alone = cluster.nodes().size() == 1;
        String ready = alone ? "SELECT 1, 'ON'" : "SHOW STATUS LIKE 'wsrep_ready'";
        try (Connection connection = connect(cluster, node);
                Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery(ready)) {
            return answer.next() && answer.getString(2).equals("ON");
        } catch (SQLException notYet) {
            return false;
        }
    }

    private static Connection connect(Cluster cluster, Node node) throws SQLException {
        Properties properties = new Properties();
        properties.put("user", NAME);
        properties.put("password", cluster.secret());
        properties.put("connectTimeout", "" + ANSWER_MAX.toMillis());
        properties.put("socketTimeout", "" + ANSWER_MAX.toMillis());
        String address = "jdbc:mariadb://" + node.address() + ":" + node.port(CLIENT_PORT) + "/";
        Connection connection = new Driver().connect(address, properties);
        if (connection == null) {
            throw new SQLException("not an address of MariaDB: " + address);
        }
        return connection;
    }

    @Override
    public String url(Cluster cluster) {
        String doors =
                cluster.nodes().stream()
                        .map(node -> node.address() + ":" + node.port(CLIENT_PORT))
                        .collect(Collectors.joining(","));
        return MariaDbDialect.SCHEME
                + "://"
                + NAME
                + ":"
                + cluster.secret()
                + "@"
                + doors
                + "/"
                + NAME;
    }

    /** The start script of a node. */
    private static String script() {
        try (InputStream script = MariaDbDeployment.class.getResourceAsStream(SCRIPT)) {
            if (script == null) {
                throw new IllegalStateException("the program's file " + SCRIPT + " is missing");
            }
            return new String(script.readAllBytes(), UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
