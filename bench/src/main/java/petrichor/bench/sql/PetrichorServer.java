package petrichor.bench.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import petrichor.bench.ServerProcess;
import petrichor.bench.TemporaryFolder;

/** Petrichor over its embedded store, with SQL, in a process of its own. Stopped on close. */
final class PetrichorServer implements AutoCloseable {
    private static final Duration READY_WITHIN = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(20);

    private final ServerProcess process;
    private final int sqlPort;

    private PetrichorServer(ServerProcess process, int sqlPort) {
        this.process = process;
        this.sqlPort = sqlPort;
    }

    static PetrichorServer start(TemporaryFolder folder) {
        int sqlPort = ServerProcess.freePort();
        PetrichorServer server =
                new PetrichorServer(
                        ServerProcess.petrichor(
                                List.of("--data", folder.path("petrichor").toString()),
                                Map.of("PETRICHOR_SQL__PORT", Integer.toString(sqlPort))),
                        sqlPort);
        server.awaitSql();
        return server;
    }

    /** The port for SQL may open after the one for HTTP. */
    private void awaitSql() {
        long began = System.nanoTime();
        while (!answers()) {
            if (System.nanoTime() - began > READY_WITHIN.toNanos()) {
                close();
                throw new IllegalStateException("the port for SQL does not accept connections");
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
    }

    private boolean answers() {
        try (Connection connection = endpoint().connect()) {
            return connection.isValid(0);
        } catch (SQLException notYet) {
            return false;
        }
    }

    SqlEndpoint endpoint() {
        return new SqlEndpoint("petrichor", sqlPort, "bench", "", "bench", process::cpu);
    }

    /** Processor time, with that of the process for analytics. */
    Duration cpu() {
        return process.treeCpu();
    }

    @Override
    public void close() {
        process.close();
    }
}
