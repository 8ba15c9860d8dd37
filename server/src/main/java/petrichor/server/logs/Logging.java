package petrichor.server.logs;

import java.io.Console;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import org.slf4j.LoggerFactory;
import petrichor.server.config.ServerConfig;

/**
 * Sets up the log of the process, once, at its start: one line per event on standard error,
 * human-readable on a terminal and JSON otherwise. Standard output is reserved for output that
 * programs read.
 */
public final class Logging {
    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(Logging.class);

    private Logging() {}

    public static void install(ServerConfig.Log log) {
        LogManager manager = LogManager.getLogManager();
        if (manager instanceof PersistentLogHandlers lasting) {
            lasting.clear();
        } else {
            manager.reset();
        }
        Logger root = Logger.getLogger("");
        Handler handler = new ConsoleHandler();
        handler.setLevel(Level.ALL);
        handler.setFormatter(
                human(log.format()) ? new HumanLogFormat(colours()) : new JsonLogFormat());
        RepeatedRecords limited = new RepeatedRecords(handler, System::nanoTime);
        limited.setLevel(Level.ALL);
        root.addHandler(limited.reporting());
        LogLevels.PROCESS.all(log.level());
        calmLibraries();
    }

    /** For commands that open stores themselves: shows at most the warnings of their drivers. */
    public static void installForCommand() {
        Logger.getLogger("").setLevel(Level.WARNING);
        calmLibraries();
    }

    private static void calmLibraries() {
        // network libraries warn about single connections, which need no action
        quiet.setLevel(Level.SEVERE);
        // the membership reports the relevant ZooKeeper events
        zooKeeper.setLevel(Level.SEVERE);
        curator.setLevel(Level.OFF);
    }

    /**
     * Like {@link #install}, for a process that only runs a server. In JSON, text printed to
     * standard error and uncaught exceptions become records as well.
     *
     * @return whether standard error is JSON
     */
    public static boolean installForServer(ServerConfig.Log log) {
        install(log);
        if (human(log.format())) {
            return false;
        }
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, thrown) -> LOG.error("thread {} failed", thread.getName(), thrown));
        System.setErr(new PrintStream(new LineRecords(), true, StandardCharsets.UTF_8));
        return true;
    }

    // strong references, because java.util.logging forgets the settings of unreferenced loggers
    private static final Logger quiet = Logger.getLogger("io.grpc.netty");
    private static final Logger zooKeeper = Logger.getLogger("org.apache.zookeeper");
    private static final Logger curator = Logger.getLogger("org.apache.curator");

    private static boolean human(ServerConfig.Log.Format format) {
        return switch (format) {
            case HUMAN -> true;
            case JSON -> false;
            case AUTO -> terminal();
        };
    }

    private static boolean terminal() {
        return Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    }

    private static boolean colours() {
        return terminal() && System.getenv("NO_COLOR") == null;
    }

    /** The name of a level in the configuration. */
    static String name(Level level) {
        if (level.intValue() >= Level.SEVERE.intValue()) {
            return "error";
        }
        if (level.intValue() >= Level.WARNING.intValue()) {
            return "warn";
        }
        return level.intValue() >= Level.INFO.intValue() ? "info" : "debug";
    }
}
