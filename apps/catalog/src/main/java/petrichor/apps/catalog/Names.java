package petrichor.apps.catalog;

import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * Names of apps, services and versions, which are parts of host names: {@code
 * VERSION-dot-SERVICE-dot-APP.DOMAIN}.
 */
final class Names {
    /** A label of a host name. */
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    private static final String SEPARATOR = "-dot-";

    private Names() {}

    static void requireApp(String name) {
        require("app", name);
    }

    static void requireService(String name) {
        require("service", name);
    }

    static void requireVersion(String name) {
        require("version", name);
    }

    private static void require(String what, String name) {
        if (!LABEL.matcher(name).matches() || name.contains(SEPARATOR)) {
            throw PetrichorException.invalid(
                    "\"{name}\" is not the name of a {what}; use up to 63 lower-case letters,"
                            + " digits and hyphens, without \"-dot-\"",
                    "name",
                    name,
                    "what",
                    what);
        }
    }
}
