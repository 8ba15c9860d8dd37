package petrichor.apps.router.table;

import petrichor.base.PetrichorException;

/**
 * A path below {@code /_ah/} that outside requests may use.
 *
 * @param path itself and everything below it
 */
public record OpenPath(String path, Server server) {
    /** The name of the platform's own server in a {@link VersionName}. */
    public static final String PLATFORM = "platform";

    private static final String INTERNAL = "/_ah/";

    /** Which server answers. */
    public enum Server {
        /** An instance of the app. */
        INSTANCE,
        /** The platform: login pages, uploads, channels. */
        PLATFORM
    }

    public OpenPath {
        if (!path.startsWith(INTERNAL) || path.endsWith("/") || path.contains("..")) {
            throw PetrichorException.invalid(
                    "'{path}' cannot be opened: it must start with /_ah/ and not end with /",
                    "path",
                    path);
        }
    }

    boolean contains(String other) {
        return other.startsWith(path)
                && (other.length() == path.length() || other.charAt(path.length()) == '/');
    }

    /** The version under which the router asks for the platform's server. */
    public static VersionName platform(String app) {
        return new VersionName(app, PLATFORM, PLATFORM);
    }

    /** Whether this is the name of the platform's server, of any app. */
    public static boolean isPlatform(VersionName version) {
        return version.service().equals(PLATFORM) && version.version().equals(PLATFORM);
    }
}
