package petrichor.movement.duckdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** An open DuckDB file with one connection. Confined to one thread. */
final class DuckFile implements AutoCloseable {
    /** Of DuckDB's buffers; larger operations use temporary files beside the file. */
    private static final int MEMORY_MIB = 512;

    private static final int THREADS = 2;

    private final Path path;
    private final DuckDBConnection connection;

    private DuckFile(Path path, DuckDBConnection connection) {
        this.path = path;
        this.connection = connection;
    }

    /** Creates the folder of a file. */
    static void prepare(Path path) {
        try {
            Path folder = path.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
        } catch (IOException failed) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    failed,
                    "The folder of the replica {file} cannot be created: {reason}",
                    "file",
                    path,
                    "reason",
                    String.valueOf(failed.getMessage()));
        }
    }

    /** Creates the file if there is none. UNAVAILABLE while another process has it open. */
    static DuckFile open(Path path) {
        prepare(path);
        try {
            Connection connection = DriverManager.getConnection("jdbc:duckdb:" + path);
            DuckFile file = new DuckFile(path, (DuckDBConnection) connection);
            file.run("SET memory_limit='" + MEMORY_MIB + "MiB'");
            file.run("SET threads=" + THREADS);
            file.run("SET autoinstall_known_extensions=false");
            file.run("SET autoload_known_extensions=false");
            connection.setAutoCommit(false);
            return file;
        } catch (SQLException failed) {
            throw failure(path, failed);
        }
    }

    private static PetrichorException failure(Path path, SQLException failed) {
        String reason = String.valueOf(failed.getMessage());
        return reason.toLowerCase(Locale.ROOT).contains("could not set lock")
                ? PetrichorException.of(
                        ErrorCode.UNAVAILABLE,
                        failed,
                        "Another program has the replica {file} open; the replication continues"
                                + " when it closes the file.",
                        "file",
                        path)
                : PetrichorException.of(
                        ErrorCode.UNAVAILABLE,
                        failed,
                        "The replica {file} cannot be written: {reason}",
                        "file",
                        path,
                        "reason",
                        reason);
    }

    Path path() {
        return path;
    }

    /** Reads the columns of a row of a result. */
    interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    <T> List<T> query(String sql, RowReader<T> reader) {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<T> rows = new ArrayList<>();
            while (result.next()) {
                rows.add(reader.read(result));
            }
            return rows;
        } catch (SQLException failed) {
            throw failure(path, failed);
        }
    }

    void run(String sql) {
        try (Statement statement = connection.createStatement()) {
            var _ = statement.execute(sql);
        } catch (SQLException failed) {
            throw failure(path, failed);
        }
    }

    /**
     * @param parameters texts, numbers, truth values and byte arrays
     */
    void run(String sql, Object... parameters) {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                if (parameters[i] instanceof byte[] bytes) {
                    statement.setBytes(i + 1, bytes);
                } else {
                    statement.setObject(i + 1, parameters[i]);
                }
            }
            var _ = statement.execute();
        } catch (SQLException failed) {
            throw failure(path, failed);
        }
    }

    /** Appends texts, some of which may be null, to a temporary table. */
    void append(String temporary, List<@Nullable String[]> rows) {
        try (var appender = connection.createAppender("temp", "main", temporary)) {
            for (@Nullable String[] row : rows) {
                var _ = appender.beginRow();
                for (String text : row) {
                    var _ = text == null ? appender.appendNull() : appender.append(text);
                }
                var _ = appender.endRow();
            }
        } catch (SQLException failed) {
            throw failure(path, failed);
        }
    }

    void commit() {
        try {
            connection.commit();
        } catch (SQLException failed) {
            throw failure(path, failed);
        }
    }

    void rollback() {
        try {
            connection.rollback();
        } catch (SQLException failed) {
            throw failure(path, failed);
        }
    }

    static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    /** Other programs can open the file then. */
    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException failed) {
            throw failure(path, failed);
        }
    }
}
