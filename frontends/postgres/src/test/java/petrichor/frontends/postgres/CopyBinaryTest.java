package petrichor.frontends.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** COPY in the binary format, with PostgreSQL's JDBC driver. */
class CopyBinaryTest {
    private static final String COLUMNS =
            "(k INT PRIMARY KEY, s SMALLINT, b BIGINT, n NUMERIC(12,3), f REAL, d DOUBLE PRECISION,"
                    + " t TEXT, v VARCHAR(20), y BYTEA, x BOOLEAN, born DATE, at TIMESTAMP,"
                    + " zoned TIMESTAMPTZ, id UUID, j JSONB, a INT[])";

    private static SqlServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new SqlServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void rowsThatWereCopiedOutAreTheSameAfterTheyWereCopiedIn() throws Exception {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE source " + COLUMNS);
            statement.execute("CREATE TABLE target " + COLUMNS);
            statement.execute(
                    "INSERT INTO source (k, s, b, n, f, d, t, v, y, x, born, at, zoned, id, j, a)"
                        + " VALUES (1, -2, 9000000000, -12345.678, 1.5, -2.25, 'a\tb', 'é',"
                        + " X'00ff', TRUE, DATE '1969-12-31', TIMESTAMP '2026-11-28 12:34:56.789',"
                        + " '2026-11-28 12:34:56+02', '6f1c0b52-9f4e-4c57-8a56-3d3f1d8a1b11',"
                        + " '{\"a\": [1, null]}'::jsonb, ARRAY[1, NULL, 3])");
            for (int k = 2; k <= 250; k++) {
                statement.execute("INSERT INTO source (k) VALUES (" + k + ")");
            }
            byte[] copied = copyOut(connection, "COPY source TO STDOUT (FORMAT BINARY)");
            // Pieces that end anywhere.
            CopyIn in = copyIn(connection, "COPY target FROM STDIN WITH BINARY");
            for (int at = 0; at < copied.length; at += 7) {
                in.writeToCopy(copied, at, Math.min(7, copied.length - at));
            }
            assertThat(in.endCopy()).isEqualTo(250);
            String differences =
                    "SELECT count(*) FROM (SELECT * FROM source EXCEPT SELECT * FROM target) d";
            try (ResultSet rows = statement.executeQuery(differences)) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isZero();
            }
            assertThat(copyOut(connection, "COPY target TO STDOUT (FORMAT BINARY)"))
                    .isEqualTo(copied);
        }
    }

    @Test
    void invalidDataInsertsNothing() throws Exception {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE checked (k INT PRIMARY KEY, n BIGINT)");
            byte[] two =
                    copyOut(connection, "COPY (SELECT 1, 2::bigint) TO STDOUT (FORMAT BINARY)");
            byte[] three = copyOut(connection, "COPY (SELECT 1, 2, 3) TO STDOUT (FORMAT BINARY)");
            byte[] narrow = copyOut(connection, "COPY (SELECT 1, true) TO STDOUT (FORMAT BINARY)");
            byte[] flags = two.clone();
            flags[12] = 1; // OIDs
            byte[] negative = two.clone();
            ByteBuffer.wrap(negative).putInt(21, -2);
            refuse(connection, "1\t2\n".repeat(10).getBytes(StandardCharsets.US_ASCII), "22P04");
            refuse(connection, three, "22P04");
            refuse(connection, narrow, "22P03");
            refuse(connection, flags, "22P04");
            refuse(connection, negative, "22P04");
            refuse(connection, Arrays.copyOf(two, two.length - 4), "22P04");
            refuse(connection, Arrays.copyOf(two, two.length + 1), "22P04");
            refuse(connection, new byte[0], "22P04");
            assertThatThrownBy(() -> copyOut(connection, "COPY checked TO STDOUT (FORMAT XML)"))
                    .satisfies(failed -> assertThat(state(failed)).isEqualTo("22023"));
            assertThatThrownBy(
                            () ->
                                    copyOut(
                                            connection,
                                            "COPY checked TO STDOUT (FORMAT BINARY, HEADER)"))
                    .satisfies(failed -> assertThat(state(failed)).isEqualTo("42601"));
            try (ResultSet rows = statement.executeQuery("SELECT count(*) FROM checked")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isZero();
            }
            CopyIn in = copyIn(connection, "COPY checked FROM STDIN (FORMAT BINARY)");
            in.writeToCopy(two, 0, two.length);
            assertThat(in.endCopy()).isEqualTo(1);
        }
    }

    private static void refuse(Connection connection, byte[] data, String state) {
        assertThatThrownBy(
                        () -> {
                            CopyIn in =
                                    copyIn(connection, "COPY checked FROM STDIN (FORMAT BINARY)");
                            in.writeToCopy(data, 0, data.length);
                            in.endCopy();
                        })
                .satisfies(failed -> assertThat(state(failed)).isEqualTo(state));
    }

    private static String state(Throwable failed) {
        return ((SQLException) failed).getSQLState();
    }

    private static CopyIn copyIn(Connection connection, String text) throws SQLException {
        return connection.unwrap(PGConnection.class).getCopyAPI().copyIn(text);
    }

    private static byte[] copyOut(Connection connection, String text) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        connection.unwrap(PGConnection.class).getCopyAPI().copyOut(text, out);
        return out.toByteArray();
    }
}
