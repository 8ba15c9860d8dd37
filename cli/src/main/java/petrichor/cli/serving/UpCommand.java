package petrichor.cli.serving;

import java.util.concurrent.Callable;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerFlags;
import petrichor.cli.console.ExitCode;
import petrichor.cli.console.Terminal;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;
import petrichor.server.logs.Logging;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Runs a server until Ctrl-C, SIGTERM or, in memory mode, {@code POST /shutdown}. In each case
 * running requests may complete, the store is closed, and the exit code is 0.
 */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        description = "Start the server and print its connection settings.")
public final class UpCommand implements Callable<Integer> {
    @Mixin private ServerFlags flags = new ServerFlags();

    @Override
    public Integer call() throws InterruptedException {
        return run(flags);
    }

    /** Runs until the server is asked to stop. */
    static int run(ServerFlags flags) throws InterruptedException {
        Settings settings = flags.settings();
        boolean json = Logging.installForServer(ServerConfig.Log.of(settings));
        Announcements announcements =
                json ? new Announcements.Records() : new Announcements.Lines(Terminal.open(false));
        settings.warnings().forEach(announcements::warning);
        Server server;
        try {
            StandardSqlPort sql = StandardSqlPort.of(settings);
            sql.warning().ifPresent(announcements::warning);
            server = Server.start(ServerConfig.of(sql.settings()));
        } catch (PetrichorException refused) {
            if (!json) {
                throw refused;
            }
            announcements.failure("the server did not start: " + refused.getMessage());
            return ExitCode.of(refused).number();
        }
        Thread stopping = new Thread(() -> stop(server, announcements), "stop");
        Runtime.getRuntime().addShutdownHook(stopping);
        announcements.ready(server);
        server.awaitShutdown();
        return ExitCode.OK.number();
    }

    /** Runs at process exit. Halts here, so that a clean stop exits with 0, not with 128 + n. */
    private static void stop(Server server, Announcements announcements) {
        announcements.stopping();
        int code = ExitCode.OK.number();
        try {
            server.close();
            announcements.stopped(
                    server.config().store().memory()
                            ? "Stopped; the in-memory data is discarded."
                            : "Stopped; all acknowledged writes are stored.");
        } catch (RuntimeException failed) {
            announcements.failure("Stopping failed: " + failed);
            code = ExitCode.FAILURE.number();
        }
        System.err.flush();
        Runtime.getRuntime().halt(code);
    }
}
