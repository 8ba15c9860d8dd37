package petrichor.testing.dialect;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import petrichor.testing.process.RunningProcess;

/**
 * A PostgreSQL server of the distribution's packages on the loopback interface, without durability.
 * Does not delete its folder.
 */
final class PostgresProcess implements AutoCloseable {
    private static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");
    private static final int NOBODY = 65_534;
    private static final int START_SECONDS_MAX = 30;

    private final RunningProcess server;
    private final int port;

    private PostgresProcess(RunningProcess server, int port) {
        this.server = server;
        this.port = port;
    }

    static PostgresProcess start(Path folder) throws IOException, InterruptedException {
        if (!Files.isExecutable(PROGRAMS.resolve("initdb"))) {
            throw new IOException(
                    "no " + PROGRAMS + "; install it (apt-get install postgresql-15)");
        }
        Path data = folder.resolve("postgres");
        Files.createDirectories(data);
        List<String> user = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            // It refuses to run as root.
            user.addAll(
                    List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setAttribute(data, "unix:uid", NOBODY);
            Files.setAttribute(data, "unix:gid", NOBODY);
        }
        String cluster = data.resolve("data").toString();
        Path log = folder.resolve("postgres.log");
        Process prepared =
                command(user, log, "initdb", "-D", cluster, "-U", "petrichor", "-A", "trust")
                        .start();
        if (prepared.waitFor() != 0) {
            throw new IOException("initdb failed; see " + log);
        }
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        RunningProcess server =
                RunningProcess.start(
                        command(
                                user,
                                log,
                                "postgres",
                                "-D",
                                cluster,
                                "-h",
                                "127.0.0.1",
                                "-p",
                                "" + port,
                                "-k",
                                data.toString(),
                                "-c",
                                "fsync=off",
                                "-c",
                                "timezone=UTC",
                                "-c",
                                "max_prepared_transactions=0"));
        PostgresProcess started = new PostgresProcess(server, port);
        // Also if a signal ends this program.
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(server::kill));
        Process ready =
                command(
                                List.of(),
                                log,
                                "pg_isready",
                                "-h",
                                "127.0.0.1",
                                "-p",
                                "" + port,
                                "-t",
                                "" + START_SECONDS_MAX)
                        .start();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
        while (ready.waitFor() != 0) {
            if (!server.alive() || System.nanoTime() > end) {
                started.close();
                throw new IOException("PostgreSQL did not start; see " + log);
            }
            ready =
                    command(List.of(), log, "pg_isready", "-h", "127.0.0.1", "-p", "" + port)
                            .start();
        }
        return started;
    }

    private static ProcessBuilder command(
            List<String> user, Path log, String program, String... arguments) {
        List<String> command = new ArrayList<>(user);
        command.add(PROGRAMS.resolve(program).toString());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    }

    String url(String database) {
        return "postgresql://petrichor@127.0.0.1:" + port + "/" + database;
    }

    @Override
    public void close() {
        server.kill();
    }
}
