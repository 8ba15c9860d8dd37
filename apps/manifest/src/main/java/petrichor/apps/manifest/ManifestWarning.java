package petrichor.apps.manifest;

/**
 * Something that is accepted, and differs from what App Engine or the author expects.
 *
 * @param line counted from 1
 * @param key such as {@code automatic_scaling.cool_down_period_sec}
 * @param text what happens instead
 */
public record ManifestWarning(int line, String key, String text) {
    /** As the command line shows it. */
    @Override
    public String toString() {
        return "line " + line + ": " + key + ": " + text;
    }
}
