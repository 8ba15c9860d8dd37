package petrichor.server;

/**
 * A key's value and who set it.
 *
 * @param origin {@code default}, {@code file petrichor.toml:3}, {@code env PETRICHOR_SERVER__PORT}
 *     or {@code flag}
 */
public record Setting(ConfigKey key, String value, String origin) {
    static final String HIDDEN = "(hidden)";

    /** The value as it may be shown: secrets are not. */
    public String shown() {
        return key.kind() == ConfigKey.Kind.SECRET && !value.isEmpty() ? HIDDEN : value;
    }
}
