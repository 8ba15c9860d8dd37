package petrichor.jobs.records;

/** The type of a field. Numbers are stored in eight bytes, texts and bytes after them. */
public enum FieldType {
    BOOLEAN,
    INT32,
    INT64,
    FLOAT64,
    /** Characters, stored as UTF-8 and ordered by their bytes. */
    TEXT,
    BYTES;

    /**
     * True for types that are compared as integers: two such fields can be joined on each other.
     */
    public boolean isInteger() {
        return this == INT32 || this == INT64 || this == BOOLEAN;
    }

    /** True for numeric types, which can be summed. */
    public boolean isNumber() {
        return this == INT32 || this == INT64 || this == FLOAT64;
    }

    /** True for types stored in the variable part of a record. */
    public boolean isVariable() {
        return this == TEXT || this == BYTES;
    }
}
