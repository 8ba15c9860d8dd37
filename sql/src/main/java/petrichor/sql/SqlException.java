package petrichor.sql;

import org.jspecify.annotations.Nullable;

/**
 * A statement failed. Carries what a PostgreSQL client expects of an error; see {@link SqlState}.
 */
public final class SqlException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String state;
    private final @Nullable String hint;
    private final int position;

    public SqlException(String state, String message) {
        this(state, message, null, 0, null);
    }

    public SqlException(String state, String message, @Nullable Throwable cause) {
        this(state, message, null, 0, cause);
    }

    /**
     * @param state five characters
     * @param hint what to do, or null
     * @param position of the error in the statement's text, in characters from 1; 0 if unknown
     */
    public SqlException(
            String state,
            String message,
            @Nullable String hint,
            int position,
            @Nullable Throwable cause) {
        super(message, cause);
        if (state.length() != 5) {
            throw new IllegalArgumentException("a SQLSTATE has five characters");
        }
        this.state = state;
        this.hint = hint;
        this.position = position;
    }

    /** SQLSTATE: five characters. */
    public String state() {
        return state;
    }

    public @Nullable String hint() {
        return hint;
    }

    /** In characters from 1; 0 if unknown. */
    public int position() {
        return position;
    }

    /** The failure of a statement that is in a longer text, behind so many characters. */
    public SqlException after(int characters) {
        return position == 0 || characters == 0
                ? this
                : new SqlException(
                        state, String.valueOf(getMessage()), hint, position + characters, this);
    }

    /** Whether a new attempt of the transaction may succeed. */
    public boolean retryable() {
        return state.equals(SqlState.SERIALIZATION_FAILURE);
    }
}
