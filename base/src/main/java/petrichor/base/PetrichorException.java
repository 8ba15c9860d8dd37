package petrichor.base;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The only failure type: a code, a text that says what happened, to what, and what the reader can
 * do, and facts for logs and tests. The message is safe to show to a client; facts are for
 * operators.
 *
 * <p>The text is static: it contains placeholders for facts, as in {@code "the key has {bytes}
 * bytes, at most {bytesMax} are allowed"}, which {@link #getMessage} replaces by their values.
 * Errors are therefore counted and grouped by text, of which a program has a few hundred. The
 * constructors are for texts from elsewhere, such as another server's response; these are not
 * counted by text.
 */
public final class PetrichorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final transient Map<String, Object> facts;
    private final String staticText;

    public PetrichorException(ErrorCode code, String text) {
        this(code, text, Map.of(), null);
    }

    public PetrichorException(ErrorCode code, String text, Map<String, Object> facts) {
        this(code, text, facts, null);
    }

    public PetrichorException(
            ErrorCode code, String text, Map<String, Object> facts, @Nullable Throwable cause) {
        this(code, "", text, Map.copyOf(facts), cause);
    }

    private PetrichorException(
            ErrorCode code,
            String staticText,
            String message,
            Map<String, Object> facts,
            @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.staticText = staticText;
        this.facts = facts;
    }

    /**
     * @param text a constant; {@code {name}} is replaced by the fact of that name
     * @param facts alternating names and values: {@code "bytes", key.length, "bytesMax",
     *     KEY_BYTES_MAX}
     */
    public static PetrichorException of(ErrorCode code, String text, @Nullable Object... facts) {
        return of(code, null, text, facts);
    }

    /**
     * @see #of(ErrorCode, String, Object...)
     */
    public static PetrichorException of(
            ErrorCode code, @Nullable Throwable cause, String text, @Nullable Object... facts) {
        Map<String, Object> named = named(facts);
        return new PetrichorException(code, text, message(text, named), named, cause);
    }

    /** Shorthand for the most frequent failure: an invalid request. */
    public static PetrichorException invalid(String text, @Nullable Object... facts) {
        return of(ErrorCode.INVALID_ARGUMENT, text, facts);
    }

    private static Map<String, Object> named(@Nullable Object... facts) {
        if (facts.length == 0) {
            return Map.of();
        }
        Map<String, Object> named = new LinkedHashMap<>();
        for (int i = 0; i + 1 < facts.length; i += 2) {
            Object value = facts[i + 1];
            named.put(String.valueOf(facts[i]), value == null ? "null" : value);
        }
        return Collections.unmodifiableMap(named);
    }

    private static String message(String text, Map<String, Object> facts) {
        if (text.indexOf('{') < 0) {
            return text;
        }
        StringBuilder message = new StringBuilder(2 * text.length());
        int from = 0;
        for (int open = text.indexOf('{'); open >= 0; open = text.indexOf('{', open + 1)) {
            int close = text.indexOf('}', open);
            Object value = close < 0 ? null : facts.get(text.substring(open + 1, close));
            if (value != null) {
                message.append(text, from, open).append(value);
                from = close + 1;
            }
        }
        return message.append(text, from, text.length()).toString();
    }

    public ErrorCode code() {
        return code;
    }

    /** The text without values of facts; empty if the text came from elsewhere. */
    public String staticText() {
        return staticText;
    }

    public Map<String, Object> facts() {
        return facts == null ? Map.of() : facts;
    }
}
