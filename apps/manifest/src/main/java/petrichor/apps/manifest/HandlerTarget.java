package petrichor.apps.manifest;

import java.util.Collections;

/** What a URL leads to. */
public sealed interface HandlerTarget {
    /** The app's process. All scripts of an app are its one process. */
    record Script() implements HandlerTarget {}

    /**
     * One file per match.
     *
     * @param file relative to the app's folder; {@code \1} is a group of the URL
     * @param upload which files may be served
     */
    record StaticFiles(String file, UrlPattern upload, StaticOptions options)
            implements HandlerTarget {
        /** Checks the references of {@code file} against the groups of a URL. */
        void check(UrlPattern url) {
            UrlPattern.expand(file, Collections.nCopies(url.groups() + 1, ""));
        }
    }

    /**
     * The files of a folder.
     *
     * @param folder relative to the app's folder; empty for that folder itself
     */
    record StaticDirectory(String folder, StaticOptions options) implements HandlerTarget {}
}
