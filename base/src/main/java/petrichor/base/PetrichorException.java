package petrichor.base;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The one failure type: a code, a text that says what happened, to what, and what the reader can
 * do, and facts for logs and tests. The text is safe to show to a client; facts are for operators.
 */
public final class PetrichorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final transient Map<String, Object> facts;

    public PetrichorException(ErrorCode code, String text) {
        this(code, text, Map.of(), null);
    }

    public PetrichorException(ErrorCode code, String text, Map<String, Object> facts) {
        this(code, text, facts, null);
    }

    public PetrichorException(
            ErrorCode code, String text, Map<String, Object> facts, @Nullable Throwable cause) {
        super(text, cause);
        this.code = code;
        this.facts = Map.copyOf(facts);
    }

    /** Shorthand for the most frequent failure: the caller's own mistake. */
    public static PetrichorException invalid(String text) {
        return new PetrichorException(ErrorCode.INVALID_ARGUMENT, text);
    }

    public ErrorCode code() {
        return code;
    }

    public Map<String, Object> facts() {
        return facts == null ? Map.of() : facts;
    }
}
