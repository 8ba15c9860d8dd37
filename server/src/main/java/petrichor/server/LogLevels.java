package petrichor.server;

import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The levels of the process' loggers, which may change while it runs: that of all loggers, and
 * those of single ones and what is below them, which count instead. Safe for any thread.
 */
final class LogLevels {
    /** Each keeps a logger in memory. */
    static final int LOGGERS_MAX = 100;

    static final LogLevels PROCESS = new LogLevels();

    private static final Pattern NAME = Pattern.compile("[\\w$.-]{1,200}");

    private final Logger root = Logger.getLogger("");
    private final Logger ours = Logger.getLogger("petrichor");
    private ServerConfig.Log.Level level = ServerConfig.Log.Level.INFO;

    /** With their loggers: java.util.logging forgets the settings of unreferenced loggers. */
    private final Map<String, Setting> single = new TreeMap<>();

    /**
     * @param former what holds again when the setting is removed; null for what is above it
     */
    private record Setting(Logger logger, ServerConfig.Log.Level level, @Nullable Level former) {}

    private LogLevels() {}

    /** The level of all loggers. What libraries say to their own authors is never shown. */
    synchronized void all(ServerConfig.Log.Level least) {
        level = least;
        Level java = java(least);
        ours.setLevel(java);
        root.setLevel(java.equals(Level.FINE) ? Level.INFO : java);
        single.values().forEach(one -> one.logger().setLevel(java(one.level())));
    }

    synchronized ServerConfig.Log.Level all() {
        return level;
    }

    /** INVALID_ARGUMENT for a name that no logger can have. */
    synchronized void one(String name, ServerConfig.Log.Level least) {
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

    /** The logger has the level that it had before. */
    synchronized void reset(String name) {
        Setting removed = single.remove(name);
        if (removed != null) {
            removed.logger().setLevel(removed.former());
            all(level); // whose logger it may be
        }
    }

    /** Loggers with a level of their own. */
    synchronized Map<String, ServerConfig.Log.Level> single() {
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
