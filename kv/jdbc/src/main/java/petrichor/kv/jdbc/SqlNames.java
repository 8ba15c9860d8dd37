package petrichor.kv.jdbc;

import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/** Validates names that become part of statements. */
final class SqlNames {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,60}");

    private SqlNames() {}

    /** INVALID_ARGUMENT if the name could break a statement, for example by a quote. */
    static String required(String name) {
        if (!NAME.matcher(name).matches()) {
            throw PetrichorException.invalid(
                    "'{name}' in a store's address cannot name a database or schema: use 1 to"
                            + " 60 letters, digits, - and _",
                    "name",
                    name);
        }
        return name;
    }
}
