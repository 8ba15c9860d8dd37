package petrichor.apps.manifest;

import java.util.Optional;

/**
 * A static page for errors of the platform.
 *
 * @param file relative to the app's folder
 * @param mimeType empty if it follows from the name
 */
public record ErrorHandler(Code code, String file, Optional<String> mimeType) {
    /** App Engine's {@code error_code}. */
    public enum Code {
        DEFAULT,
        OVER_QUOTA,
        DOS_API_DENIAL,
        TIMEOUT
    }
}
