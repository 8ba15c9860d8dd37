package petrichor.apps.instances;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * An instance to start.
 *
 * @param environment complete, except for the variables that the host adds: PORT, HOME and TMPDIR
 *     always, PATH and LANG unless they are given here
 */
public record InstanceSpec(
        InstanceName name,
        Command command,
        InstanceFiles files,
        Map<String, String> environment,
        InstanceLimits limits,
        InstanceLifecycle lifecycle) {
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** Set by the host, as only the host knows their values. */
    static final Set<String> RESERVED = Set.of("PORT", "HOME", "TMPDIR");

    /** All variables together; the kernel's limit for environment and arguments is 2 MB. */
    private static final int ENVIRONMENT_CHARS_MAX = 512 << 10;

    public InstanceSpec {
        environment = Map.copyOf(environment);
        long chars = 0;
        for (var variable : environment.entrySet()) {
            chars += variable.getKey().length() + variable.getValue().length();
            if (!VARIABLE.matcher(variable.getKey()).matches()
                    || variable.getValue().indexOf('\0') >= 0) {
                throw PetrichorException.invalid(
                        "the environment variable \"{variable}\" is invalid; use letters, digits"
                                + " and _ in its name, and no NUL in its value",
                        "variable",
                        variable.getKey());
            }
            if (RESERVED.contains(variable.getKey())) {
                throw PetrichorException.invalid(
                        "the environment variable {variable} is set by the platform; remove it from"
                                + " the app's variables",
                        "variable",
                        variable.getKey());
            }
        }
        if (chars > ENVIRONMENT_CHARS_MAX) {
            throw PetrichorException.invalid(
                    "the environment has {chars} characters, at most {charsMax} are allowed",
                    "chars",
                    chars,
                    "charsMax",
                    ENVIRONMENT_CHARS_MAX);
        }
    }

    /** Without the environment, which may contain secrets. */
    @Override
    public String toString() {
        return "InstanceSpec[" + name + ", " + command + "]";
    }

    /** The complete environment, sorted by name. */
    Map<String, String> environment(int port, String temporaryFolder) {
        Map<String, String> all = new TreeMap<>();
        all.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        all.put("LANG", "C.UTF-8");
        all.putAll(environment);
        all.put("PORT", Integer.toString(port));
        all.put("HOME", temporaryFolder);
        all.put("TMPDIR", temporaryFolder);
        return all;
    }
}
