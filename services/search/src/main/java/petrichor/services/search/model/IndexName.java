package petrichor.services.search.model;

import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * The name of an index in a project.
 *
 * @param namespace empty for the default namespace
 */
public record IndexName(String namespace, String name) {
    public static final int NAME_CHARS_MAX = 100;

    private static final Pattern NAMESPACE = Pattern.compile("[0-9A-Za-z._-]{0,100}");

    public IndexName {
        if (!NAMESPACE.matcher(namespace).matches()) {
            throw PetrichorException.invalid(
                    "The namespace of a search index has up to 100 letters, digits, '.', '_' and"
                            + " '-'.");
        }
        DocumentRules.requireIdentifier("The name of a search index", name, NAME_CHARS_MAX);
    }
}
