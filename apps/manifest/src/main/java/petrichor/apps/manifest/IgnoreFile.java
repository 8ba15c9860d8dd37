package petrichor.apps.manifest;

import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import petrichor.base.PetrichorException;

/**
 * Which files of a folder do not belong to a version: {@code .gcloudignore}, with the patterns of
 * {@code .gitignore}. The last pattern that matches decides; a file of an ignored folder is ignored
 * even if a later pattern re-includes it. The patterns are those of one file in the app's folder;
 * files in folders below it are not read. Matching takes time proportional to the length of the
 * path. Immutable.
 */
public final class IgnoreFile {
    public static final String NAME = ".gcloudignore";

    static final int TEXT_CHARACTERS_MAX = 1 << 18;
    static final int PATTERNS_MAX = 10_000;
    static final int PATTERN_CHARACTERS_MAX = 1_000;

    /** A line that reads another file in its place. */
    private static final String INCLUDE = "#!include:";

    /** What Google's tools ignore in a folder without the file. */
    private static final String DEFAULT = ".gcloudignore\n.git\n.gitignore\n#!include:.gitignore\n";

    private record Rule(Pattern pattern, boolean ignores, boolean foldersOnly) {}

    private final List<Rule> rules;

    private IgnoreFile(List<Rule> rules) {
        this.rules = List.copyOf(rules);
    }

    /**
     * @param included the text of a file that {@code #!include:NAME} names; empty if there is none.
     *     An included file cannot include others
     */
    public static IgnoreFile parse(String text, Function<String, Optional<String>> included) {
        List<Rule> rules = new ArrayList<>();
        for (String line : lines(text)) {
            if (!line.startsWith(INCLUDE)) {
                add(rules, line);
                continue;
            }
            String file = line.substring(INCLUDE.length()).strip();
            for (String inner : lines(included.apply(file).orElse(""))) {
                add(rules, inner);
            }
        }
        return new IgnoreFile(rules);
    }

    /** The patterns of a folder: those of its {@code .gcloudignore}, or else Google's default. */
    public static IgnoreFile of(Function<String, Optional<String>> files) {
        return parse(files.apply(NAME).orElse(DEFAULT), files);
    }

    private static List<String> lines(String text) {
        if (text.length() > TEXT_CHARACTERS_MAX) {
            throw PetrichorException.invalid(
                    "A file of ignored files has {characters} characters; at most {charactersMax}"
                            + " are allowed.",
                    "characters",
                    text.length(),
                    "charactersMax",
                    TEXT_CHARACTERS_MAX);
        }
        return text.lines().toList();
    }

    private static void add(List<Rule> rules, String line) {
        String glob = withoutSpacesAtItsEnd(line);
        if (glob.length() > PATTERN_CHARACTERS_MAX && !glob.startsWith("#")) {
            throw PetrichorException.invalid(
                    "A pattern of ignored files has {characters} characters; at most"
                            + " {charactersMax} are allowed.",
                    "characters",
                    glob.length(),
                    "charactersMax",
                    PATTERN_CHARACTERS_MAX);
        }
        if (glob.isEmpty() || glob.startsWith("#")) {
            return;
        }
        boolean ignores = !glob.startsWith("!");
        if (!ignores) {
            glob = glob.substring(1);
        }
        boolean foldersOnly = glob.endsWith("/");
        if (foldersOnly) {
            glob = glob.substring(0, glob.length() - 1);
        }
        if (glob.isEmpty()) {
            return;
        }
        if (rules.size() >= PATTERNS_MAX) {
            throw PetrichorException.invalid(
                    "A file of ignored files has more than {patternsMax} patterns.",
                    "patternsMax",
                    PATTERNS_MAX);
        }
        Glob.compile(glob).ifPresent(pattern -> rules.add(new Rule(pattern, ignores, foldersOnly)));
    }

    /** A space counts if a backslash precedes it. */
    private static String withoutSpacesAtItsEnd(String line) {
        int end = line.length();
        while (end > 0 && line.charAt(end - 1) == ' ' && !isEscaped(line, end - 1)) {
            end--;
        }
        return line.substring(0, end);
    }

    private static boolean isEscaped(String line, int at) {
        int backslashes = 0;
        while (at > backslashes && line.charAt(at - backslashes - 1) == '\\') {
            backslashes++;
        }
        return backslashes % 2 == 1;
    }

    /**
     * @param path relative to the app's folder, with {@code /} between names and none at its end
     */
    public boolean ignores(String path, boolean isFolder) {
        for (int slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
            if (decides(path.substring(0, slash), true)) {
                return true;
            }
        }
        return decides(path, isFolder);
    }

    private boolean decides(String path, boolean isFolder) {
        for (Rule rule : rules.reversed()) {
            if ((isFolder || !rule.foldersOnly()) && rule.pattern().matches(path)) {
                return rule.ignores();
            }
        }
        return false;
    }
}
