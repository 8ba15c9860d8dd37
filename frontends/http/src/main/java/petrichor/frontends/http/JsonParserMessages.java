package petrichor.frontends.http;

import java.util.regex.Pattern;

/** Messages of JSON parsers, as clients may see them. Stateless. */
public final class JsonParserMessages {
    private static final Pattern CLASS_NAMES = Pattern.compile("\\b[\\w.$]+Exception:? ?");
    private static final Pattern ADVICE = Pattern.compile("Use JsonReader\\S* to accept [\\w ]*");

    private JsonParserMessages() {}

    /** The message without Java class names and advice for programmers. */
    public static String shown(String message) {
        String firstLine = message.lines().findFirst().orElse("");
        return ADVICE.matcher(CLASS_NAMES.matcher(firstLine).replaceAll("")).replaceAll("").strip();
    }
}
