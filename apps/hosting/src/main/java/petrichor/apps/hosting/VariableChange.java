package petrichor.apps.hosting;

import com.google.protobuf.ByteString;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import petrichor.apps.catalog.AppVariables;
import petrichor.base.ErrorCode;
import petrichor.base.NearestName;
import petrichor.base.PetrichorException;

/**
 * A change of an app's environment variables, or of its secrets. Its text contains no value.
 *
 * @param set values by name
 * @param unset names
 */
public record VariableChange(Kind kind, Map<String, String> set, Set<String> unset) {
    /** How values are kept. */
    public enum Kind {
        PLAIN,
        /** Encrypted; they can be replaced, but not read. */
        SECRET
    }

    /** Set by the platform, so that an operator's values would have no effect. */
    private static final Pattern PLATFORM =
            Pattern.compile(
                    "PORT|HOME|TMPDIR|GAE_[A-Z_]*|GOOGLE_CLOUD_PROJECT|API_HOST|API_PORT"
                            + "|DATASTORE_EMULATOR_HOST|DATASTORE_PROJECT_ID|STORAGE_EMULATOR_HOST"
                            + "|SERVER_SOFTWARE");

    public VariableChange {
        set = Map.copyOf(set);
        unset = Set.copyOf(unset);
        if (set.isEmpty() && unset.isEmpty()) {
            throw PetrichorException.invalid("the change names no variable; name at least one");
        }
        for (Map.Entry<String, String> variable : set.entrySet()) {
            if (PLATFORM.matcher(variable.getKey()).matches()) {
                throw PetrichorException.invalid(
                        "{variable} is set by the platform; use another name",
                        "variable",
                        variable.getKey());
            }
            AppVariables.requireValue(variable.getKey(), variable.getValue());
        }
    }

    /** The variables of an app after the change. */
    AppVariables applied(String app, AppVariables before, SecretBox box) {
        return switch (kind) {
            case PLAIN -> {
                Map<String, String> values = new TreeMap<>(before.plain());
                remove(app, values.keySet());
                values.putAll(set);
                yield before.withPlain(values);
            }
            case SECRET -> {
                Map<String, ByteString> values = new TreeMap<>(before.secrets());
                remove(app, values.keySet());
                set.forEach((name, value) -> values.put(name, box.seal(app, name, value)));
                yield before.withSecrets(values);
            }
        };
    }

    private void remove(String app, Collection<String> names) {
        for (String name : unset) {
            if (!names.contains(name)) {
                throw PetrichorException.of(
                        ErrorCode.NOT_FOUND,
                        "the app {app} has no {kind} {name}{nearest}",
                        "app",
                        app,
                        "kind",
                        kind == Kind.SECRET ? "secret" : "variable",
                        "name",
                        name,
                        "nearest",
                        NearestName.closeTo(name, names)
                                .map(close -> "; the nearest is " + close)
                                .orElse(""));
            }
            names.remove(name);
        }
    }

    @Override
    public String toString() {
        return "VariableChange[" + kind + ", set " + set.keySet() + ", unset " + unset + "]";
    }
}
