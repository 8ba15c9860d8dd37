package petrichor.server.config;

/**
 * The value of a key and its origin.
 *
 * @param origin {@code default}, {@code file petrichor.toml:3}, {@code env PETRICHOR_SERVER__PORT}
 *     or {@code flag}
 */
public record Setting(ConfigKey key, String value, String origin) {
    /** The origin of a default value. */
    static final String DEFAULT = "default";

    static final String HIDDEN = "(hidden)";

    /** {@link #shown()} as the type that the key has: a Boolean, a Long, a Double or a String. */
    public Object typed() {
        return switch (key.kind()) {
            case FLAG -> Boolean.valueOf(value);
            case PORT, COUNT, PERCENT -> Long.valueOf(value);
            case RATIO -> Double.valueOf(value);
            case TEXT,
                    SECRET,
                    OPTIONAL,
                    PATH,
                    BYTES,
                    MEMORY,
                    OPTIONAL_MEMORY,
                    DURATION,
                    CONCURRENCY,
                    FORMAT,
                    LEVEL,
                    EVENTS ->
                    shown();
        };
    }

    /** Whether the value was set explicitly; otherwise it is the default. */
    public boolean isSet() {
        return !origin.equals(DEFAULT);
    }

    /** Whether the value must not leave this machine. */
    public boolean isSecret() {
        return key.kind() == SettingKind.SECRET;
    }

    /** The value for display; secrets are hidden. */
    public String shown() {
        return isSecret() && !value.isEmpty() ? HIDDEN : value;
    }
}
