package petrichor.services.search.model;

/**
 * A field of a document. A document may have several fields of one name, also of different types.
 *
 * @param language of the text, such as {@code en}; empty for the language of the document
 */
public record SearchField(String name, FieldValue value, String language) {
    public SearchField(String name, FieldValue value) {
        this(name, value, "");
    }
}
