package petrichor.apps.builds;

/** Outcome of reading an app's sources. */
public sealed interface SourceResult {
    /** The sources are in the cache. */
    record Stored(Sources sources) implements SourceResult {}

    /**
     * The sources are invalid, unreadable or too large; nothing was stored.
     *
     * @param reason one line that names the file
     */
    record Refused(String reason) implements SourceResult {}
}
