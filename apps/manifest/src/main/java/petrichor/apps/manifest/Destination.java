package petrichor.apps.manifest;

import java.util.regex.Pattern;

/** Where a request goes. */
public sealed interface Destination {
    /** To the app's process. */
    record App() implements Destination {}

    /**
     * To a static file.
     *
     * @param path relative to the app's folder, of plain names: it cannot leave the folder
     */
    record File(String path, StaticOptions options) implements Destination {}

    /** A static handler matches, and the path cannot be a file of it: status 404. */
    record NotFound(StaticOptions options) implements Destination {}

    /** An empty name, a step to a parent, or a character that separates names elsewhere. */
    Pattern UNSAFE = Pattern.compile("(^|/)(\\.{1,2})?(/|$)|[\\\\\\x00-\\x1f]");

    /** The file of a path, unless the path is not a plain one. */
    static Destination file(String path, StaticOptions options) {
        return UNSAFE.matcher(path).find() ? new NotFound(options) : new File(path, options);
    }
}
