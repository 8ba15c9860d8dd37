package petrichor.testing.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Statements beside PostgreSQL: lines of {@code errors.sql} are refused by both, at the same place;
 * lines of {@code same.sql} have the same rows, or fail with the same SQLSTATE.
 */
class BesidePostgresTest {
    @TempDir Path folder;

    private static List<String> statements(String name) throws Exception {
        try (InputStream file = BesidePostgresTest.class.getResourceAsStream(name)) {
            byte[] text = Objects.requireNonNull(file).readAllBytes();
            return new String(text, StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.endsWith(";") ? line.substring(0, line.length() - 1) : line)
                    .toList();
        }
    }

    private static Connection connect(String url) throws SQLException {
        String jdbc = "jdbc:" + url.replace("petrichor@", "");
        return DriverManager.getConnection(
                jdbc + "?user=petrichor&preferQueryMode=simple&assumeMinServerVersion=15");
    }

    private static void define(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE city (id int PRIMARY KEY, name text, data jsonb)");
        }
    }

    private static String failure(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(text);
            return "none";
        } catch (PSQLException failed) {
            ServerErrorMessage message = failed.getServerErrorMessage();
            return failed.getSQLState() + " at " + (message == null ? 0 : message.getPosition());
        }
    }

    @Test
    void errorsPointAtTheSameCharacter() throws Exception {
        try (PostgresProcess postgres = PostgresProcess.start(folder);
                MemorySql ours = new MemorySql();
                Connection expected = connect(postgres.url("postgres"));
                Connection actual = connect(ours.url())) {
            define(expected);
            define(actual);
            List<String> differences = new ArrayList<>();
            for (String text : statements("errors.sql")) {
                String theirs = failure(expected, text);
                String found = failure(actual, text);
                if (!theirs.equals(found)) {
                    differences.add(
                            text + "\n  PostgreSQL: " + theirs + "\n  Petrichor:  " + found);
                }
            }
            assertThat(differences).isEmpty();
            assertThat(failure(actual, "SELECT 1; SELECT nope FROM city")).isEqualTo("42703 at 18");
        }
    }

    @Test
    void statementsHaveTheSameRows() throws Exception {
        try (PostgresProcess postgres = PostgresProcess.start(folder);
                MemorySql ours = new MemorySql();
                Connection expected = connect(postgres.url("postgres"));
                Connection actual = connect(ours.url())) {
            for (Connection connection : List.of(expected, actual)) {
                rows(connection, "CREATE TABLE tag (id int, s text, names text[], b bytea)");
                rows(connection, "SET TIME ZONE 'UTC'");
                rows(
                        connection,
                        "INSERT INTO tag VALUES (1, 'a', '{x,y}', NULL), (2, 'b', '{y}', 'z'), (3,"
                                + " 'c', NULL, NULL)");
            }
            List<String> differences = new ArrayList<>();
            for (String text : statements("same.sql")) {
                String theirs = rows(expected, text);
                String found = rows(actual, text);
                if (!theirs.equals(found)) {
                    differences.add(
                            text + "\n  PostgreSQL: " + theirs + "\n  Petrichor:  " + found);
                }
            }
            assertThat(differences).isEmpty();
        }
    }

    private static String rows(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            if (!statement.execute(text)) {
                return "count " + statement.getUpdateCount();
            }
            StringBuilder rows = new StringBuilder();
            try (ResultSet result = statement.getResultSet()) {
                int columns = result.getMetaData().getColumnCount();
                for (int i = 1; i <= columns; i++) {
                    rows.append(result.getMetaData().getColumnName(i)).append(' ');
                }
                while (result.next()) {
                    rows.append('\n');
                    for (int i = 1; i <= columns; i++) {
                        rows.append(result.getString(i)).append('|');
                    }
                }
            }
            return rows.toString();
        } catch (PSQLException failed) {
            return "error " + failed.getSQLState();
        }
    }
}
