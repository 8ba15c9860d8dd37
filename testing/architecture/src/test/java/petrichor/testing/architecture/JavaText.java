package petrichor.testing.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Extracts messages and comments from Java sources, without parsing them. */
final class JavaText {
    /** A text and its first line. */
    record Part(int line, String text) {}

    private static final String LITERAL = "\"(?:[^\"\\\\\\n]|\\\\.)*\"";
    private static final Pattern PARTS =
            Pattern.compile(
                    "(?s)(?<comment>/\\*.*?\\*/|(?:[ \\t]*//[^\\n]*\\n?)+)"
                            + "|(?<block>\"\"\".*?\"\"\")"
                            + "|(?<character>'(?:[^'\\\\]|\\\\.)+')"
                            + "|(?<message>"
                            + LITERAL
                            + "(?:\\s*\\+\\s*"
                            + LITERAL
                            + ")*)");
    private static final Pattern SEAM = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final Pattern MARGIN = Pattern.compile("\\s*\\n\\s*(?:\\*(?!/)|//)?\\s*");

    private JavaText() {}

    /** String literals of several words; literals joined by a plus are one message. */
    static List<Part> messages(String source) {
        List<Part> found = new ArrayList<>();
        for (MatchResult each : parts(source)) {
            String text = each.group("message");
            if (text != null && text.contains(" ")) {
                found.add(part(source, each, SEAM.matcher(text).replaceAll("")));
            }
        }
        return found;
    }

    static List<Part> comments(String source) {
        List<Part> found = new ArrayList<>();
        for (MatchResult each : parts(source)) {
            String text = each.group("comment");
            if (text != null) {
                found.add(part(source, each, MARGIN.matcher(text.strip()).replaceAll(" ")));
            }
        }
        return found;
    }

    /** The source without comments and literals. */
    static String code(String source) {
        return PARTS.matcher(source).replaceAll(" ");
    }

    static List<Part> lines(String text) {
        List<Part> found = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            found.add(new Part(found.size() + 1, line));
        }
        return found;
    }

    private static List<MatchResult> parts(String source) {
        Matcher matcher = PARTS.matcher(source);
        return matcher.results().toList();
    }

    /** A part of a source that starts at a match. */
    static Part part(String source, MatchResult at, String text) {
        int line = 1 + (int) source.substring(0, at.start()).chars().filter(c -> c == '\n').count();
        return new Part(line, text);
    }
}
