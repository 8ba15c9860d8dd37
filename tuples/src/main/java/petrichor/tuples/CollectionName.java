package petrichor.tuples;

import petrichor.base.PetrichorException;

/** Names of collections. */
final class CollectionName {
    private static final String VALID = "[A-Za-z][A-Za-z0-9_.-]*";

    private CollectionName() {}

    static void require(String name) {
        if (name.length() > TupleLimits.NAME_CHARS_MAX || !name.matches(VALID)) {
            throw PetrichorException.invalid(
                    "\"{name}\" is not a name of a collection: use at most {charsMax} letters,"
                            + " digits, dots, dashes and underscores, beginning with a letter.",
                    "name",
                    BoundedText.shown(name),
                    "charsMax",
                    TupleLimits.NAME_CHARS_MAX);
        }
    }
}
