package petrichor.bench.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import petrichor.bench.Progress;
import petrichor.bench.StartedStore;
import petrichor.bench.TemporaryFolder;
import petrichor.server.data.StorePlugins;

/**
 * Petrichor over its embedded store, and PostgreSQL 15 with its defaults: both sync each commit.
 * Stopped on close.
 */
final class SqlServers implements AutoCloseable {
    private static final String POSTGRES = "postgresql";

    private final PetrichorServer petrichor;
    private final StartedStore postgres;
    private final long postmaster;

    private SqlServers(PetrichorServer petrichor, StartedStore postgres, long postmaster) {
        this.petrichor = petrichor;
        this.postgres = postgres;
        this.postmaster = postmaster;
    }

    static SqlServers start(TemporaryFolder folder, Progress progress) {
        Path data = folder.path(POSTGRES);
        StartedStore postgres =
                StartedStore.start(POSTGRES, StorePlugins.installed(), data, progress);
        try {
            return new SqlServers(PetrichorServer.start(folder), postgres, postmaster(data));
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
        return petrichor.endpoint();
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
