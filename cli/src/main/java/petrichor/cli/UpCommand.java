package petrichor.cli;

import petrichor.server.Logging;
import petrichor.server.Server;
import petrichor.server.ServerConfig;
import petrichor.server.Settings;
import petrichor.server.Version;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * Runs a server until Ctrl-C, SIGTERM or, in memory mode, {@code POST /shutdown}. Whichever it is,
 * requests that run may end, the store is closed, and the exit code is 0.
 */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        description = "Starts the server and says how programs find it.")
final class UpCommand implements Callable<Integer> {
    @Mixin private ServerFlags flags = new ServerFlags();

    @Override
    public Integer call() throws InterruptedException {
        return run(flags);
    }

    /** Until it is told to stop. */
    static int run(ServerFlags flags) throws InterruptedException {
        Terminal terminal = Terminal.open(false);
        Settings settings = flags.settings();
        settings.warnings().forEach(warning -> terminal.say("warning: " + warning));
        ServerConfig config = ServerConfig.of(settings);
        Logging.install(config.log());
        Server server = Server.start(config);
        Thread stopping = new Thread(() -> stop(server, terminal), "stop");
        Runtime.getRuntime().addShutdownHook(stopping);
        greet(server, terminal);
        server.awaitShutdown();
        return ExitCode.OK.number();
    }

    /** Runs as the process ends; halting here makes a clean stop exit with 0, not with 128 + n. */
    private static void stop(Server server, Terminal terminal) {
        terminal.say("");
        terminal.say("Stopping: letting running requests end.");
        int code = ExitCode.OK.number();
        try {
            server.close();
            terminal.say(
                    server.config().store().memory()
                            ? "Stopped; the data was in memory and is gone."
                            : "Stopped; everything that was acknowledged is stored.");
        } catch (RuntimeException failed) {
            terminal.complain("The stop failed: " + failed);
            code = ExitCode.FAILURE.number();
        }
        System.err.flush();
        Runtime.getRuntime().halt(code);
    }

    private static void greet(Server server, Terminal terminal) {
        ServerConfig config = server.config();
        String address = config.server().host() + ":" + server.port();
        String scheme = config.tls().isPresent() ? "https://" : "http://";
        String where = "data in " + config.store().data();
        if (config.store().url().isPresent()) {
            where = "data in " + config.store().url().get();
        } else if (config.store().memory()) {
            where = "in memory, forgotten at the end";
        }
        terminal.say(
                terminal.bold("Petrichor " + Version.text())
                        + " is ready"
                        + sinceStart()
                        + ": "
                        + where);
        if (!server.members().isEmpty()) {
            terminal.say("  servers of the cluster: " + String.join(", ", server.members()));
        }
        terminal.say("");
        terminal.say("Paste this where your program runs:");
        terminal.say("");
        System.out.println("  export DATASTORE_EMULATOR_HOST=" + address);
        System.out.println("  export GOOGLE_CLOUD_PROJECT=demo DATASTORE_PROJECT_ID=demo");
        System.out.flush();
        terminal.say("");
        terminal.say(terminal.faint("  (any project id will do; each has its own data)"));
        if (config.tls().isPresent() || config.auth().required()) {
            terminal.say("");
            terminal.say("  This server wants TLS or a token, which Google's clients do not send");
            terminal.say("  to an emulator's host: docs/operate/security.md says how they do.");
        }
        terminal.say("");
        terminal.say("Then try:");
        String flags = addressFlags(config, server.port());
        hint(terminal, "./petrichor gql 'SELECT * FROM __kind__'" + flags, "the kinds of entities");
        hint(terminal, "./petrichor export -o backup.jsonl" + flags, "all data, as of one moment");
        hint(terminal, "curl " + scheme + address + "/metrics", "metrics for Prometheus");
        terminal.say("");
        terminal.say("Ctrl-C stops it.");
    }

    private static void hint(Terminal terminal, String command, String what) {
        terminal.say(String.format(Locale.ROOT, "  %-44s %s", command, what));
    }

    /** What other commands need in order to find this server; empty at the usual place. */
    static String addressFlags(ServerConfig config, int port) {
        return (port == ServerAddress.STANDARD_PORT ? "" : " --port " + port)
                + (config.tls().isPresent() ? " --tls" : "");
    }

    /** Of this program: the process began as the launcher, which may have built it first. */
    private static String sinceStart() {
        long millis =
                System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
        return String.format(Locale.ROOT, " after %.1f s", millis / 1000.0);
    }
}
