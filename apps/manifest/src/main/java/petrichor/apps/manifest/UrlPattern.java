package petrichor.apps.manifest;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * A regular expression of {@code app.yaml}, which must match a complete path. RE2 matches in time
 * proportional to the length of the path; it has no lookahead and no back-references within the
 * expression, and neither have App Engine's expressions. A dot also matches a line break: otherwise
 * a path with an encoded one would evade a handler that requires a login. Equal if the texts are
 * equal. Immutable.
 */
public final class UrlPattern {
    static final int CHARACTERS_MAX = 1_000;

    /** A match takes time proportional to it, and to the length of the path. */
    static final int INSTRUCTIONS_MAX = 2_000;

    /** A greater reference can only be a mistake; App Engine's own examples use one or two. */
    private static final int DIGITS_MAX = 2;

    private static final int DECIMAL = 10;

    private final String text;
    private final Pattern pattern;

    private UrlPattern(String text, String expression) {
        this.text = text;
        if (text.length() > CHARACTERS_MAX) {
            throw PetrichorException.invalid(
                    "A regular expression has {characters} characters; at most {charactersMax} are"
                            + " allowed.",
                    "characters",
                    text.length(),
                    "charactersMax",
                    CHARACTERS_MAX);
        }
        if (expression.contains("\\Q") || ExpressionSize.of(expression) > INSTRUCTIONS_MAX) {
            throw PetrichorException.invalid(
                    "The regular expression {expression} is not valid: it quotes with \\Q, or its"
                            + " repetitions need more than {instructionsMax} instructions.",
                    "expression",
                    text,
                    "instructionsMax",
                    INSTRUCTIONS_MAX);
        }
        try {
            this.pattern = Pattern.compile(expression, Pattern.DOTALL);
        } catch (PatternSyntaxException refused) {
            throw PetrichorException.invalid(
                    "The regular expression {expression} is not valid: {problem}.",
                    "expression",
                    text,
                    "problem",
                    refused.getDescription() + " in " + refused.getPattern());
        }
    }

    /** Matches as it is written. */
    public static UrlPattern of(String expression) {
        return new UrlPattern(expression, expression);
    }

    /** Matches the paths below a URL; the last group is the path of the file. */
    static UrlPattern below(String url) {
        return new UrlPattern(url, url + (url.endsWith("/") ? "(.*)" : "/(.*)"));
    }

    /** Whether a path, or the name of a file, matches completely. */
    public boolean matches(String path) {
        return pattern.matches(path);
    }

    /** Whether the beginning of a name matches. */
    boolean matchesStart(String name) {
        return pattern.matcher(name).lookingAt();
    }

    int groups() {
        return pattern.groupCount();
    }

    /** The groups of a path that matches; the first one is the complete path. */
    Optional<List<String>> match(String path) {
        Matcher matcher = pattern.matcher(path);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        List<String> groups = new ArrayList<>();
        for (int group = 0; group <= matcher.groupCount(); group++) {
            @Nullable String matched = matcher.group(group);
            groups.add(matched == null ? "" : matched);
        }
        return Optional.of(groups);
    }

    /**
     * Replaces back-references such as {@code \1} by groups.
     *
     * @throws PetrichorException if the template refers to a group that does not exist
     */
    static String expand(String template, List<String> groups) {
        StringBuilder expanded = new StringBuilder();
        int at = 0;
        while (at < template.length()) {
            char next = template.charAt(at);
            at++;
            if (next != '\\') {
                expanded.append(next);
                continue;
            }
            int end = at;
            while (end < template.length()
                    && end < at + DIGITS_MAX
                    && Character.digit(template.charAt(end), DECIMAL) >= 0) {
                end++;
            }
            if (end == at) {
                throw PetrichorException.invalid(
                        "{template} has a backslash that no number follows.", "template", template);
            }
            int group = Integer.parseInt(template.substring(at, end));
            if (group >= groups.size()) {
                throw PetrichorException.invalid(
                        "{template} refers to a group that the URL does not have; it has"
                                + " {groups}.",
                        "template",
                        template,
                        "groups",
                        groups.size() - 1);
            }
            expanded.append(groups.get(group));
            at = end;
        }
        return expanded.toString();
    }

    /** As it is written. */
    public String text() {
        return text;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof UrlPattern that
                && text.equals(that.text)
                && pattern.equals(that.pattern);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
