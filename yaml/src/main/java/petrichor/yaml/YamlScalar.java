package petrichor.yaml;

/**
 * A single value as it is written.
 *
 * @param text without quotes and escapes
 * @param plain whether it has no quotes; only a plain value can be a number, a flag or null
 * @param line counted from 1
 */
public record YamlScalar(String text, boolean plain, int line) {
    /** Whether YAML reads it as the absence of a value. */
    public boolean isNull() {
        return plain
                && switch (text) {
                    case "", "~", "null", "Null", "NULL" -> true;
                    default -> false;
                };
    }
}
