package petrichor.clients.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

class DriverTest {
    private static final String TABLES =
            "CREATE TABLE author (id SERIAL PRIMARY KEY, name VARCHAR(100) NOT NULL UNIQUE);"
                    + "CREATE TABLE book (id BIGINT PRIMARY KEY, author_id INT NOT NULL REFERENCES author (id),"
                    + " title TEXT, added TIMESTAMPTZ, tags TEXT[]);"
                    + "CREATE INDEX book_title ON book (title)";

    private static Connection open(String parameters) throws SQLException {
        Connection connection =
                DriverManager.getConnection(Databases.unused() + parameters, Databases.USER, "");
        try (Statement statement = connection.createStatement()) {
            statement.execute(TABLES);
        }
        return connection;
    }

    @ParameterizedTest
    @ValueSource(strings = {"simple", "extended", "extendedForPrepared", "extendedCacheEverything"})
    void batchesKeysAndTypes(String mode) throws SQLException {
        try (Connection connection = open("?preferQueryMode=" + mode + "&prepareThreshold=1");
                Statement statement = connection.createStatement()) {
            int id;
            try (PreparedStatement insert =
                    connection.prepareStatement(
                            "INSERT INTO author (name) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
                insert.setString(1, "Jane");
                assertThat(insert.executeUpdate()).isEqualTo(1);
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    assertThat(keys.next()).isTrue();
                    id = keys.getInt("id");
                }
            }
            OffsetDateTime added = OffsetDateTime.of(2026, 11, 28, 1, 2, 3, 0, ZoneOffset.UTC);
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO book VALUES (?, ?, ?, ?, ?)")) {
                for (long book = 1; book <= 20; book++) {
                    insert.setLong(1, book);
                    insert.setInt(2, id);
                    insert.setString(3, "Book " + book);
                    insert.setObject(4, added);
                    insert.setArray(5, connection.createArrayOf("text", new String[] {"a", "b,c"}));
                    insert.addBatch();
                }
                assertThat(insert.executeBatch()).hasSize(20).containsOnly(1);
            }
            for (int round = 0; round < 3; round++) {
                try (PreparedStatement select =
                        connection.prepareStatement(
                                "SELECT title, added, tags, added::date FROM book WHERE id = ?")) {
                    select.setLong(1, 7);
                    try (ResultSet row = select.executeQuery()) {
                        assertThat(row.next()).isTrue();
                        assertThat(row.getString(1)).isEqualTo("Book 7");
                        assertThat(row.getObject(2, OffsetDateTime.class)).isEqualTo(added);
                        if (!mode.equals("simple")) {
                            assertThat((String[]) row.getArray(3).getArray()).containsExactly("a", "b,c");
                        }
                        assertThat(row.getObject(4, LocalDate.class)).isEqualTo(added.toLocalDate());
                    }
                }
            }
            assertThatThrownBy(() -> statement.execute("INSERT INTO author (name) VALUES ('Jane')"))
                    .satisfies(failed -> assertThat(((SQLException) failed).getSQLState()).isEqualTo("23505"));
        }
    }

    @Test
    void metadata() throws SQLException {
        try (Connection connection = open("")) {
            var metadata = connection.getMetaData();
            assertThat(names(metadata.getTables(null, "public", "%", new String[] {"TABLE"}), "TABLE_NAME"))
                    .containsExactly("author", "book");
            assertThat(names(metadata.getColumns(null, "public", "book", "%"), "TYPE_NAME"))
                    .containsExactly("int8", "int4", "text", "timestamptz", "_text");
            assertThat(names(metadata.getPrimaryKeys(null, "public", "book"), "COLUMN_NAME"))
                    .containsExactly("id");
            assertThat(names(metadata.getImportedKeys(null, "public", "book"), "PKTABLE_NAME"))
                    .containsExactly("author");
            assertThat(names(metadata.getIndexInfo(null, "public", "book", false, true), "INDEX_NAME"))
                    .containsExactlyInAnyOrder("book_pkey", "book_title");
        }
    }

    private static List<String> names(ResultSet rows, String column) throws SQLException {
        List<String> names = new ArrayList<>();
        try (rows) {
            while (rows.next()) {
                names.add(rows.getString(column));
            }
        }
        return names;
    }

    @Test
    void savepointsCursorsAndCopy() throws Exception {
        try (Connection connection = open("");
                Statement statement = connection.createStatement()) {
            var copy = connection.unwrap(PGConnection.class).getCopyAPI();
            StringBuilder lines = new StringBuilder();
            for (int id = 1; id <= 1_000; id++) {
                lines.append(id).append("\tauthor ").append(id).append('\n');
            }
            assertThat(copy.copyIn("COPY author FROM STDIN", new StringReader(lines.toString())))
                    .isEqualTo(1_000);
            StringWriter out = new StringWriter();
            copy.copyOut("COPY (SELECT name FROM author WHERE id > 998 ORDER BY id) TO STDOUT CSV HEADER", out);
            assertThat(out.toString()).isEqualTo("name\nauthor 999\nauthor 1000\n");
            connection.setAutoCommit(false);
            statement.setFetchSize(100);
            long sum = 0;
            try (ResultSet rows = statement.executeQuery("SELECT id FROM author")) {
                while (rows.next()) {
                    sum += rows.getInt(1);
                }
            }
            assertThat(sum).isEqualTo(500_500);
            Savepoint before = connection.setSavepoint();
            assertThatThrownBy(() -> statement.execute("INSERT INTO author VALUES (1, 'x')"))
                    .isInstanceOf(SQLException.class);
            connection.rollback(before);
            assertThat(statement.executeUpdate("DELETE FROM author WHERE id = 1")).isEqualTo(1);
            connection.commit();
        }
    }
}
