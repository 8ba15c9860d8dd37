package petrichor.apps.instances;

import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/** What an instance runs, and its id, which is unique among all instances of the platform. */
public record InstanceName(String app, String service, String version, String instance) {
    private static final int LENGTH_MAX = 100;

    /** Also excludes spaces, which separate the fields of a log line. */
    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:~-]*");

    public InstanceName {
        check("app", app);
        check("service", service);
        check("version", version);
        check("instance", instance);
    }

    private static void check(String what, String name) {
        if (name.length() > LENGTH_MAX || !VALID.matcher(name).matches()) {
            throw PetrichorException.invalid(
                    "the name of the {what} of an instance, \"{name}\", is invalid; use at most"
                            + " {lengthMax} letters, digits and . _ : ~ -",
                    "what",
                    what,
                    "name",
                    name,
                    "lengthMax",
                    LENGTH_MAX);
        }
    }

    @Override
    public String toString() {
        return app + "/" + service + "/" + version + "/" + instance;
    }
}
