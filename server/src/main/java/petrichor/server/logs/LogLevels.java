package petrichor.server.logs;

import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.server.config.ServerConfig;

/**
 * The log levels of the process, which can be changed while it runs: a default level, and levels of
 * single loggers and their children, which override it. Thread-safe.
 */
public final class LogLevels {
    /** Maximum number of loggers with their own level, because each stays in memory. */
    static final int LOGGERS_MAX = 100;

    public static final LogLevels PROCESS = new LogLevels();

    private static final Pattern NAME = Pattern.compile("[\\w$.-]{1,200}");

    private final Logger root = Logger.getLogger("");
    private final Logger ours = Logger.getLogger("petrichor");
    private ServerConfig.Log.Level level = ServerConfig.Log.Level.INFO;

    /**
     * Holds strong references to the loggers: java.util.logging forgets the settings of
     * unreferenced ones.
     */
    private final Map<String, Setting> single = new TreeMap<>();

    /**
     * @param former level to restore when the setting is removed; null to inherit the parent's
     */
    private record Setting(Logger logger, ServerConfig.Log.Level level, @Nullable Level former) {}

    private LogLevels() {}

    /** Sets the level of all loggers. Debug output of libraries is never shown. */
    public synchronized void all(ServerConfig.Log.Level least) {
        level = least;
        Level java = java(least);
        ours.setLevel(java);
        root.setLevel(java.equals(Level.FINE) ? Level.INFO : java);
        single.values().forEach(one -> one.logger().setLevel(java(one.level())));
    }

    public synchronized ServerConfig.Log.Level all() {
        return level;
    }

    /** INVALID_ARGUMENT for an invalid logger name. */
    public synchronized void one(String name, ServerConfig.Log.Level least) {
        if (!NAME.matcher(name).matches()) {
            throw PetrichorException.invalid("\"{name}\" cannot name a logger", "name", name);
        }
        Setting known = single.get(name);
        if (known == null && single.size() >= LOGGERS_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    LOGGERS_MAX + " loggers have their own levels; reset some");
        }
        Logger logger = known == null ? Logger.getLogger(name) : known.logger();
        Level former = known == null ? logger.getLevel() : known.former();
        logger.setLevel(java(least));
        single.put(name, new Setting(logger, least, former));
    }

    /** Restores the logger's previous level. */
    public synchronized void reset(String name) {
        Setting removed = single.remove(name);
        if (removed != null) {
            removed.logger().setLevel(removed.former());
            all(level); // whose logger it may be
        }
    }

    /** The loggers with their own levels. */
    public synchronized Map<String, ServerConfig.Log.Level> single() {
        Map<String, ServerConfig.Log.Level> levels = new TreeMap<>();
        single.forEach((name, setting) -> levels.put(name, setting.level()));
        return levels;
    }

    private static Level java(ServerConfig.Log.Level level) {
        return switch (level) {
            case DEBUG -> Level.FINE;
            case INFO -> Level.INFO;
            case WARN -> Level.WARNING;
            case ERROR -> Level.SEVERE;
        };
    }
}
