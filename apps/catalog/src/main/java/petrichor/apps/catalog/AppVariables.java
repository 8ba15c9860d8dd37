package petrichor.apps.catalog;

import com.google.protobuf.ByteString;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * Environment variables that an app's operator sets, beside those of {@code app.yaml}. A name is
 * either plain or secret. Immutable.
 *
 * @param plain values by name
 * @param secrets encrypted values by name
 */
public record AppVariables(Map<String, String> plain, Map<String, ByteString> secrets) {
    public static final AppVariables NONE = new AppVariables(Map.of(), Map.of());

    static final int NAME_CHARACTERS_MAX = 256;
    public static final int VALUE_CHARACTERS_MAX = 32_768;

    /** Of all names and values; an app is one row. */
    static final int BYTES_MAX = 256 << 10;

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    public AppVariables {
        plain = Collections.unmodifiableMap(new TreeMap<>(plain));
        secrets = Collections.unmodifiableMap(new TreeMap<>(secrets));
        long bytes = 0;
        for (Map.Entry<String, String> variable : plain.entrySet()) {
            requireName(variable.getKey());
            requireValue(variable.getKey(), variable.getValue());
            bytes += variable.getKey().length() + 4L * variable.getValue().length();
        }
        for (Map.Entry<String, ByteString> secret : secrets.entrySet()) {
            requireName(secret.getKey());
            bytes += secret.getKey().length() + secret.getValue().size();
        }
        for (String name : plain.keySet()) {
            if (secrets.containsKey(name)) {
                throw PetrichorException.invalid(
                        "{variable} is a variable and a secret of the app; unset one of them first",
                        "variable",
                        name);
            }
        }
        if (bytes > BYTES_MAX) {
            throw PetrichorException.invalid(
                    "the variables and secrets of an app have at most {bytesMax} bytes; unset some,"
                            + " or keep large values in files",
                    "bytesMax",
                    BYTES_MAX);
        }
    }

    private static void requireName(String name) {
        if (!NAME.matcher(name).matches() || name.length() > NAME_CHARACTERS_MAX) {
            throw PetrichorException.invalid(
                    "the name of a variable consists of up to {charactersMax} letters, digits and"
                            + " _, and does not begin with a digit: \"{variable}\"",
                    "charactersMax",
                    NAME_CHARACTERS_MAX,
                    "variable",
                    name);
        }
    }

    /** Fails without the value, which may be a secret. */
    public static void requireValue(String name, String value) {
        if (value.length() > VALUE_CHARACTERS_MAX || value.indexOf('\0') >= 0) {
            throw PetrichorException.invalid(
                    "the value of {variable} is too long or contains a character with the code 0;"
                            + " it has at most {charactersMax} characters",
                    "variable",
                    name,
                    "charactersMax",
                    VALUE_CHARACTERS_MAX);
        }
    }

    public Set<String> names() {
        Set<String> names = new TreeSet<>(plain.keySet());
        names.addAll(secrets.keySet());
        return names;
    }

    public AppVariables withPlain(Map<String, String> values) {
        return new AppVariables(values, secrets);
    }

    public AppVariables withSecrets(Map<String, ByteString> values) {
        return new AppVariables(plain, values);
    }
}
