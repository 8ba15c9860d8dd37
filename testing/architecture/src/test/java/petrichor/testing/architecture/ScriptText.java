package petrichor.testing.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Extracts comments and strings from sources that are not Java, without parsing them. */
final class ScriptText {
    private static final Pattern STRINGS_AND_HASH_COMMENTS =
            Pattern.compile(
                    "(?s)\"\"\".*?\"\"\"|'''.*?'''"
                            + "|\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\\n]|\\\\.)*'"
                            + "|(?<![\\w$\\\\{#])#[^\\n]*");
    private static final Pattern LUA_COMMENTS = Pattern.compile("--[^\\n]*");

    private ScriptText() {}

    /** Whether the file has a language that this class knows. */
    static boolean isKnown(String name, String text) {
        return name.matches(".*\\.(py|sh|yml|yaml|proto|go|js|mjs|ts|c|lua)") || isShell(text);
    }

    private static boolean isShell(String text) {
        return text.startsWith("#!") && text.lines().findFirst().orElse("").contains("sh");
    }

    /** Comments, and strings of several words. All of a YAML file is prose. */
    static List<JavaText.Part> prose(String name, String text) {
        if (name.endsWith(".yml") || name.endsWith(".yaml")) {
            return JavaText.lines(text);
        }
        if (name.endsWith(".lua")) {
            return parts(LUA_COMMENTS, text);
        }
        if (name.endsWith(".py") || name.endsWith(".sh") || isShell(text)) {
            return parts(STRINGS_AND_HASH_COMMENTS, text);
        }
        List<JavaText.Part> found = new ArrayList<>(JavaText.comments(text));
        found.addAll(JavaText.messages(text));
        return found;
    }

    private static List<JavaText.Part> parts(Pattern pattern, String text) {
        List<JavaText.Part> found = new ArrayList<>();
        for (MatchResult each : pattern.matcher(text).results().toList()) {
            if (each.group().contains(" ")) {
                found.add(JavaText.part(text, each, each.group()));
            }
        }
        return found;
    }
}
