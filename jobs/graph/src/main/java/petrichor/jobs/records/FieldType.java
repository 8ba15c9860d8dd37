package petrichor.jobs.records;

/** What a field of a record holds. Numbers live in eight bytes, texts and bytes behind them. */
public enum FieldType {
    BOOLEAN,
    INT32,
    INT64,
    FLOAT64,
    /** Characters, stored as UTF-8 and ordered by their bytes. */
    TEXT,
    BYTES;

    /** True for what is compared as a whole number: two such fields can be joined on each other. */
    public boolean isInteger() {
        return this == INT32 || this == INT64 || this == BOOLEAN;
    }

    /** True for what can be summed up. */
    public boolean isNumber() {
        return this == INT32 || this == INT64 || this == FLOAT64;
    }

    /** True for types stored in the variable part of a record. */
    public boolean isVariable() {
        return this == TEXT || this == BYTES;
    }
}
