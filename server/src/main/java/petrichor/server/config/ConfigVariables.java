package petrichor.server.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Environment variables that set keys: {@code PETRICHOR_SERVER__PORT} for {@code server.port}. */
final class ConfigVariables {
    private static final String PREFIX = "PETRICHOR_";
    private static final String SEPARATOR = "__";

    private ConfigVariables() {}

    static String nameOf(String key) {
        return PREFIX + key.toUpperCase(Locale.ROOT).replace(".", SEPARATOR).replace('-', '_');
    }

    /** Whether a variable is meant to set a key, even if it is misspelled. */
    static boolean areMeantBy(String variable) {
        return variable.startsWith(PREFIX) && variable.contains(SEPARATOR);
    }

    static Optional<ConfigKey> key(String variable) {
        return find(variable, name -> name);
    }

    /** The key meant by a variable such as {@code PETRICHOR_SERVER_PORT}. */
    static Optional<ConfigKey> keyOfOneUnderscore(String variable) {
        return find(variable, name -> name.replace(SEPARATOR, "_"));
    }

    private static Optional<ConfigKey> find(String variable, UnaryOperator<String> spelling) {
        return Arrays.stream(ConfigKey.values())
                .filter(key -> spelling.apply(key.environmentVariable()).equals(variable))
                .findFirst();
    }
}
