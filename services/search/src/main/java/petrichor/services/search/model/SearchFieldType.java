package petrichor.services.search.model;

/** The types of fields, in the order of App Engine's protocol. */
public enum SearchFieldType {
    TEXT,
    HTML,
    ATOM,
    DATE,
    NUMBER,
    GEO,
    UNTOKENIZED_PREFIX,
    TOKENIZED_PREFIX,
    VECTOR;

    /** Whether a value of this type is a string. */
    public boolean textual() {
        return switch (this) {
            case TEXT, HTML, ATOM, UNTOKENIZED_PREFIX, TOKENIZED_PREFIX -> true;
            case DATE, NUMBER, GEO, VECTOR -> false;
        };
    }
}
