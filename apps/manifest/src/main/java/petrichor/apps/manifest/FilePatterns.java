package petrichor.apps.manifest;

import java.util.List;

/**
 * {@code skip_files}: regular expressions for files that do not belong to a version. An expression
 * matches the beginning of a path, as in Google's tools; most end with {@code $}.
 */
public record FilePatterns(List<UrlPattern> patterns) {
    /** App Engine's: backups, compiled Python, version control, and names that begin with a dot. */
    public static final FilePatterns DEFAULT =
            new FilePatterns(
                    List.of(
                            UrlPattern.of(
                                    "^(.*/)?((#.*#)|(.*~)|(.*\\.py[co])|(.*/RCS/.*)|(\\..*)|)$")));

    public FilePatterns {
        patterns = List.copyOf(patterns);
    }

    /**
     * @param path relative to the app's folder, with {@code /}
     */
    public boolean skips(String path) {
        return patterns.stream().anyMatch(pattern -> pattern.matchesStart(path));
    }
}
