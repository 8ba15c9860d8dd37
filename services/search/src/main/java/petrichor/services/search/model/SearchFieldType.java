package petrichor.services.search.model;

import org.jspecify.annotations.Nullable;

/** The types of fields. */
public enum SearchFieldType {
    TEXT(0),
    HTML(1),
    ATOM(2),
    DATE(3),
    NUMBER(4),
    GEO(5),
    UNTOKENIZED_PREFIX(6),
    TOKENIZED_PREFIX(7),
    VECTOR(8);

    private final int code;

    SearchFieldType(int code) {
        this.code = code;
    }

    /** In stored rows: never changes. */
    public int code() {
        return code;
    }

    /** Null if no type has this code. */
    public static @Nullable SearchFieldType ofCode(int code) {
        for (SearchFieldType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        return null;
    }

    /** Whether a value of this type is a string. */
    public boolean textual() {
        return switch (this) {
            case TEXT, HTML, ATOM, UNTOKENIZED_PREFIX, TOKENIZED_PREFIX -> true;
            case DATE, NUMBER, GEO, VECTOR -> false;
        };
    }
}
