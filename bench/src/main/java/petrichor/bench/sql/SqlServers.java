package petrichor.bench.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import petrichor.bench.Progress;
import petrichor.bench.ServerProcess;
import petrichor.bench.StartedStore;
import petrichor.bench.TemporaryFolder;
import petrichor.server.StorePlugins;

/**
 * Petrichor over its embedded store, and PostgreSQL 15 with its defaults: both sync each commit.
 * Stopped on close.
 */
final class SqlServers implements AutoCloseable {
    private static final String POSTGRES = "postgresql";

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
            return new SqlServers(petrichor, sqlPort, postgres, postmaster(data));
        } catch (RuntimeException failed) {
            postgres.close();
            throw failed;
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
