package petrichor.apps.router.table;

import java.nio.file.Path;

/** What answers the paths of a handler. */
public sealed interface HandlerTarget {
    /** An instance of the version. */
    record Instances() implements HandlerTarget {}

    /**
     * A file of a folder; the rest of the path after the handler's prefix names it.
     *
     * @param root contains only files that may be served; it does not change while a table uses it
     */
    record Folder(Path root, FileOptions options) implements HandlerTarget {}

    /**
     * One file per path.
     *
     * @param root as in {@link Folder}
     * @param template relative to the root; {@code \1} is the first group of the handler's pattern
     */
    record File(Path root, String template, FileOptions options) implements HandlerTarget {}
}
