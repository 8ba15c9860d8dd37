package petrichor.analytics.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBFunctions;

/**
 * An instance of DuckDB for each database, so that a query reaches no other database. The instances
 * share the limit of memory equally. Thread-safe.
 */
final class DuckDatabases {
    private static final String FILE = ".duckdb";

    private final Path folder;
    private final DuckLimits limits;
    private final Loads loads;
    private final Map<String, DuckDBConnection> open = new HashMap<>();

    DuckDatabases(Path folder, DuckLimits limits, Loads loads) {
        this.folder = folder;
        this.limits = limits;
        this.loads = loads;
    }

    /** A connection to an instance. */
    record Opened(DuckDBConnection connection, Path file, DuckLimits limits) {}

    synchronized Opened open(String database) {
        try {
            DuckDBConnection known = open.get(database);
            if (known == null) {
                known = create("segments" + open.size());
                open.put(database, known);
                share();
            }
            DuckLimits share =
                    new DuckLimits(
                            limits.memoryBytes() / open.size(),
                            limits.diskBytes() / open.size(),
                            limits.threads());
            Path file = folder.resolve(known.getCatalog() + FILE);
            return new Opened(known.duplicate(), file, share);
        } catch (SQLException failed) {
            throw new IllegalStateException("DuckDB does not start", failed);
        }
    }

    private DuckDBConnection create(String name) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("jdbc_stream_results", "true");
        Path file = folder.resolve(name + FILE);
        DuckDBConnection connection =
                (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:" + file, properties);
        Path temporary = folder.resolve(name + ".temporary");
        try {
            Files.createDirectories(exports(file));
        } catch (IOException failed) {
            throw new SQLException("IO Error: " + failed, failed);
        }
        execute(
                connection,
                "SET threads=" + limits.threads(),
                "SET temp_directory='" + temporary.toString().replace("'", "''") + "'",
                "SET max_temp_directory_size='" + limits.diskBytes() + " bytes'",
                "SET integer_division=true",
                "SET default_null_order='nulls_last_on_asc_first_on_desc'",
                "SET preserve_insertion_order=false",
                "SET autoinstall_known_extensions=false",
                "SET autoload_known_extensions=false",
                "SET allowed_directories=['" + QueryFile.literal(exports(file)) + "/']",
                "SET enable_external_access=false");
        var _ =
                DuckDBFunctions.tableFunction()
                        .withName(RowFunction.NAME)
                        .withParameter(String.class)
                        .withFunction(new RowFunction(loads))
                        .register(connection);
        return connection;
    }

    /** Where files of a database's queries are written. */
    static Path exports(Path database) {
        return database.resolveSibling(database.getFileName() + ".exports");
    }

    private void share() throws SQLException {
        long each = limits.memoryBytes() / open.size();
        for (DuckDBConnection connection : open.values()) {
            execute(connection, "SET memory_limit='" + each + " bytes'");
        }
    }

    private static void execute(DuckDBConnection connection, String... commands)
            throws SQLException {
        for (String command : List.of(commands)) {
            try (Statement statement = connection.createStatement()) {
                boolean _ = statement.execute(command);
            }
        }
    }
}
