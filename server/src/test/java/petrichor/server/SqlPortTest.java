package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import petrichor.base.PetrichorException;
import petrichor.rpc.CertificateAuthority;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;

/** SQL at the port of a server, through PostgreSQL's JDBC driver. */
@Timeout(120)
class SqlPortTest {
    private static final String TOKEN = "a token with all rights";

    @TempDir Path folder;

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }

    private Server start(int port, Map<String, String> more) {
        Map<String, String> settings = new java.util.HashMap<>(more);
        settings.put("PETRICHOR_STORE__DATA", folder.resolve("data").toString());
        settings.put("PETRICHOR_SERVER__PORT", "0");
        settings.put("PETRICHOR_SQL__PORT", Integer.toString(port));
        return Server.start(ServerConfig.of(Settings.read(Optional.empty(), settings, Map.of())));
    }

    private static Connection connect(int port, String database, String password)
            throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + port + "/" + database, "ada", password);
    }

    @Test
    void tablesOfADatabaseSurviveARestart() throws Exception {
        int port = freePort();
        Map<String, String> token = Map.of("PETRICHOR_AUTH__TOKEN", TOKEN);
        try (Server server = start(port, token);
                Connection shop = connect(port, "shop", TOKEN);
                Connection other = connect(port, "other", TOKEN);
                Statement statement = shop.createStatement()) {
            assertThat(server.port()).isNotEqualTo(port);
            statement.execute("CREATE TABLE city (id INT PRIMARY KEY, name TEXT)");
            statement.execute("INSERT INTO city VALUES (1, 'Braga')");
            try (Statement there = other.createStatement()) {
                assertThatThrownBy(() -> there.execute("SELECT * FROM city"))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                failed -> assertThat(failed.getSQLState()).isEqualTo("42P01"));
            }
            assertThatThrownBy(() -> connect(port, "shop", "another token"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failed -> assertThat(failed.getSQLState()).isEqualTo("28P01"));
        }
        try (Server again = start(port, token);
                Connection shop = connect(port, "shop", TOKEN);
                Statement statement = shop.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name FROM city")) {
            assertThat(again.config().server().sqlPort()).isEqualTo(port);
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo("Braga");
        }
    }

    @Test
    void aConnectionChoosesTheEngineForAnalytics() throws Exception {
        int port = freePort();
        try (Server server = start(port, Map.of());
                Connection shop = connect(port, "shop", "");
                Statement statement = shop.createStatement()) {
            statement.execute("CREATE TABLE city (id INT PRIMARY KEY, name TEXT)");
            statement.execute("INSERT INTO city VALUES (1, 'Braga'), (2, 'Porto')");
            statement.execute("SET petrichor.engine = 'analytics'");
            try (ResultSet plan = statement.executeQuery("EXPLAIN SELECT max(name) FROM city")) {
                assertThat(plan.next()).isTrue();
                assertThat(plan.getString(1)).isEqualTo("Engine: analytics");
            }
            try (ResultSet rows =
                    statement.executeQuery("SELECT count(*), max(name) FROM city WHERE id > 0")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getLong(1)).isEqualTo(2);
                assertThat(rows.getString(2)).isEqualTo("Porto");
            }
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            long copied =
                    shop.unwrap(PGConnection.class)
                            .getCopyAPI()
                            .copyOut("COPY city TO STDOUT (FORMAT parquet)", file);
            assertThat(copied).isEqualTo(2);
            assertThat(file.toString(StandardCharsets.ISO_8859_1))
                    .startsWith("PAR1")
                    .endsWith("PAR1");
            assertThatThrownBy(
                            () ->
                                    shop.unwrap(PGConnection.class)
                                            .getCopyAPI()
                                            .copyIn("COPY city FROM STDIN (FORMAT parquet)"))
                    .hasMessageContaining("petrichor sql import");
            assertThat(server.sqlPort()).isEqualTo(port);
        }
    }

    @Test
    void aDriverThatOpensTransactionsReadsForAnalytics() throws Exception {
        int port = freePort();
        try (Server server = start(port, Map.of());
                Connection shop = connect(port, "shop", "");
                Statement statement = shop.createStatement()) {
            assertThat(server.sqlPort()).isEqualTo(port);
            statement.execute("CREATE TABLE city (id INT PRIMARY KEY, name TEXT)");
            shop.setAutoCommit(false);
            statement.execute("INSERT INTO city VALUES (1, 'Braga')");
            shop.commit();
            statement.execute("SET petrichor.engine = 'analytics'");
            for (int i = 0; i < 2; i++) {
                try (ResultSet rows = statement.executeQuery("SELECT max(name) FROM city")) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getString(1)).isEqualTo("Braga");
                }
            }
            assertThatThrownBy(() -> statement.execute("DELETE FROM city"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failed -> assertThat(failed.getSQLState()).isEqualTo("25006"));
            shop.rollback();
            statement.execute("DELETE FROM city");
            shop.commit();
        }
    }

    @Test
    void tokensWithRolesAreNotEnough() throws IOException {
        Path tokens = folder.resolve("tokens.toml");
        java.nio.file.Files.writeString(tokens, "");
        int port = freePort();
        assertThatThrownBy(
                        () -> start(port, Map.of("PETRICHOR_AUTH__TOKENS_FILE", tokens.toString())))
                .isInstanceOf(PetrichorException.class);
    }

    @Test
    void tokensWithRolesWorkOverTls() throws Exception {
        CertificateAuthority authority =
                CertificateAuthority.openOrCreate(folder.resolve("authority"), 2);
        CertificateAuthority.Issued issued = authority.issue("localhost", 2);
        Path tokens = folder.resolve("tokens.toml");
        writeTokens(tokens);
        int port = freePort();
        Map<String, String> settings =
                Map.of(
                        "PETRICHOR_AUTH__TOKENS_FILE",
                        tokens.toString(),
                        "PETRICHOR_TLS__CERTIFICATE",
                        issued.certificate().toString(),
                        "PETRICHOR_TLS__KEY",
                        issued.key().toString());
        try (Server server = start(port, settings)) {
            assertThat(server.sqlPort()).isEqualTo(port);
            assertThat(state(() -> connect(port, "shop?sslmode=disable", "the operator")))
                    .isEqualTo("28000");
            String shop = "shop?sslmode=require";
            try (Connection operator = connect(port, shop, "the operator");
                    Statement statement = operator.createStatement()) {
                statement.execute("CREATE TABLE city (id INT PRIMARY KEY)");
            }
            try (Connection writer = connect(port, shop, "the writer");
                    Statement statement = writer.createStatement()) {
                statement.execute("INSERT INTO city VALUES (1)");
                assertThat(state(() -> statement.execute("DROP TABLE city"))).isEqualTo("42501");
            }
            try (Connection reader = connect(port, shop, "the reader");
                    Statement statement = reader.createStatement()) {
                try (ResultSet rows = statement.executeQuery("SELECT id FROM city")) {
                    assertThat(rows.next()).isTrue();
                }
                for (String change :
                        List.of(
                                "INSERT INTO city VALUES (2)",
                                "TRUNCATE city",
                                "WITH x AS (DELETE FROM city RETURNING id) SELECT id FROM x",
                                "CREATE TABLE other (id INT)")) {
                    assertThat(state(() -> statement.execute(change))).isEqualTo("42501");
                }
            }
            assertThat(state(() -> connect(port, "other?sslmode=require", "the reader")))
                    .isEqualTo("3D000");
            assertThat(state(() -> connect(port, shop, "the deployer"))).isEqualTo("3D000");
            assertThat(state(() -> connect(port, shop, "nobody"))).isEqualTo("28P01");
        }
    }

    private static void writeTokens(Path file) throws IOException {
        StringBuilder text = new StringBuilder();
        for (String[] token :
                new String[][] {
                    {"operator", "admin"},
                    {"writer", "write"},
                    {"reader", "read"},
                    {"deployer", "deploy"}
                }) {
            text.append("[").append(token[0]).append("]\nrole = \"").append(token[1]);
            text.append("\"\nprojects = [\"shop\"]\nsha256 = \"");
            text.append(sha256("the " + token[0])).append("\"\n");
        }
        java.nio.file.Files.writeString(file, text);
        java.nio.file.Files.setPosixFilePermissions(
                file, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
    }

    private static String sha256(String text) {
        try {
            byte[] hash =
                    java.security.MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
            return java.util.HexFormat.of().formatHex(hash);
        } catch (java.security.NoSuchAlgorithmException missing) {
            throw new AssertionError(missing);
        }
    }

    private static String state(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        SQLException failed =
                org.assertj.core.api.Assertions.catchThrowableOfType(SQLException.class, call);
        return failed == null ? "" : failed.getSQLState();
    }
}
