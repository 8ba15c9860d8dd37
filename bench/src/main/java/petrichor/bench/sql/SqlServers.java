package petrichor.bench.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import petrichor.bench.Progress;
import petrichor.bench.ServerProcess;
import petrichor.bench.StartedStore;
import petrichor.bench.TemporaryFolder;
import petrichor.server.data.StorePlugins;

/**
 * Petrichor over its embedded store, and PostgreSQL 15 with its defaults: both sync each commit.
 * Stopped on close.
 */
final class SqlServers implements AutoCloseable {
    private static final String POSTGRES = "postgresql";

    private static final Duration READY_WITHIN = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(20);

    private final ServerProcess petrichor;
    private final int sqlPort;
    private final StartedStore postgres;
    private final long postmaster;

    private SqlServers(
            ServerProcess petrichor, int sqlPort, StartedStore postgres, long postmaster) {
        this.petrichor = petrichor;
        this.sqlPort = sqlPort;
        this.postgres = postgres;
        this.postmaster = postmaster;
    }

    static SqlServers start(TemporaryFolder folder, Progress progress) {
        Path data = folder.path(POSTGRES);
        StartedStore postgres =
                StartedStore.start(POSTGRES, StorePlugins.installed(), data, progress);
        int sqlPort = ServerProcess.freePort();
        try {
            ServerProcess petrichor =
                    ServerProcess.petrichor(
                            List.of("--data", folder.path("petrichor").toString()),
                            Map.of("PETRICHOR_SQL__PORT", Integer.toString(sqlPort)));
            SqlServers servers = new SqlServers(petrichor, sqlPort, postgres, postmaster(data));
            servers.awaitSql();
            return servers;
        } catch (RuntimeException failed) {
            postgres.close();
            throw failed;
        }
    }

    /** The port for SQL may open after the one for HTTP. */
    private void awaitSql() {
        long began = System.nanoTime();
        while (!answers()) {
            if (System.nanoTime() - began > READY_WITHIN.toNanos()) {
                petrichor.close();
                throw new IllegalStateException("the port for SQL does not accept connections");
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
    }

    private boolean answers() {
        try (Connection connection = petrichor().connect()) {
            return connection.isValid(0);
        } catch (SQLException notYet) {
            return false;
        }
    }

    private static long postmaster(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            Path file =
                    files.filter(path -> path.endsWith("postmaster.pid")).findFirst().orElseThrow();
            return Long.parseLong(Files.readAllLines(file).getFirst().strip());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    SqlEndpoint petrichor() {
        return new SqlEndpoint("petrichor", sqlPort, "bench", "", "bench", petrichor::cpu);
    }

    SqlEndpoint postgres() {
        URI address = URI.create(postgres.address());
        String[] login = address.getUserInfo().split(":", 2);
        return new SqlEndpoint(
                POSTGRES,
                address.getPort(),
                login[0],
                login[1],
                address.getPath().substring(1),
                () -> ServerTimes.of(postmaster));
    }

    @Override
    public void close() {
        petrichor.close();
        postgres.close();
    }
}
