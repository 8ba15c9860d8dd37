package petrichor.testing.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
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
 * The SQLSTATE and the place of errors, beside PostgreSQL. Lines of {@code errors.sql} are
 * statements that both refuse.
 */
class ErrorPlacesTest {
    @TempDir Path folder;

    private static List<String> statements() throws Exception {
        try (InputStream file = ErrorPlacesTest.class.getResourceAsStream("errors.sql")) {
            byte[] text = Objects.requireNonNull(file).readAllBytes();
            return new String(text, StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.substring(0, line.length() - 1))
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
            for (String text : statements()) {
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
}
