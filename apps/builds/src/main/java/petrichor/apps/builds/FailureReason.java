package petrichor.apps.builds;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the line of a package manager's or compiler's output that names what is wrong. Collects
 * line by line, in bounded memory. Not thread-safe.
 */
final class FailureReason {
    private static final int CHARS_MAX = 300;

    /** Escape sequences of terminals. */
    private static final Pattern COLOR = Pattern.compile("\\x1b\\[[0-9;]*[A-Za-z]");

    /** Who writes the output. */
    enum Source {
        PIP,
        PYTHON,
        NPM,
        SCRIPT,
        GO,
        MAVEN,
        GIT
    }

    /** Patterns of the line to quote, the best first. */
    private static final Map<Source, List<Quoted>> QUOTED =
            Map.ofEntries(
                    Map.entry(
                            Source.PIP,
                            List.of( // pip repeats a failed build's error below it.
                                    last(
                                            "ERROR: ((?:No matching distribution|Could not find a"
                                                    + " version).*)"),
                                    first("\\s*(\\w*Error: .*)"),
                                    first("\\s*(?:cause: |╰─▶ )(.*)"),
                                    last("(?:ERROR|error): (?!subprocess-exited)(.*\\S.*)"))),
                    Map.entry(Source.PYTHON, List.of(last("((?:\\S+:\\d+: )?\\w*Error: .*)"))),
                    Map.entry(
                            Source.NPM,
                            List.of(
                                    first(
                                            "npm (?:ERR!|error) (?:notarget|404|ENOENT|ERESOLVE)"
                                                    + " (.*\\S.*)"),
                                    first(
                                            "npm (?:ERR!|error) (?!code |errno |syscall |path"
                                                    + " |command |workspace |location )(.*\\S.*)"),
                                    first("npm (?:ERR!|error) (.*\\S.*)"))),
                    Map.entry(
                            Source.SCRIPT,
                            List.of(
                                    first("\\s*(?:Uncaught )?(\\w*Error: .*)"),
                                    first("(?i)(?!npm )(.*\\berror\\b.*)"),
                                    last("(?!npm |> )(.*\\S.*)"))),
                    Map.entry(
                            Source.GO,
                            List.of(
                                    first("\\s*(?:\\./)?(\\S+\\.go:\\d+(?::\\d+)?: .*)"),
                                    first("(go: .*)"),
                                    first("(package .* is not in .*|build constraints .*)"))),
                    Map.entry(
                            Source.MAVEN,
                            List.of(
                                    first("\\[ERROR\\] (\\S+\\.java:\\[\\d+,\\d+\\].*)"),
                                    first(
                                            "\\[ERROR\\] (.*(?:Non-resolvable|Could not"
                                                    + " resolve|Could not find).*)"),
                                    first("\\[ERROR\\] (?!COMPILATION ERROR)(.*\\S.*)"),
                                    first("(?:Error|ERROR): (.*)"))),
                    Map.entry(
                            Source.GIT,
                            List.of(
                                    first("fatal: (?!Could not read)(.*)"),
                                    first("(?:fatal|error): (.*)"))));

    private record Quoted(Pattern line, boolean last) {}

    private final List<Quoted> quoted;
    private final @Nullable String[] found;
    private @Nullable String lastLine;

    FailureReason(Source source) {
        this.quoted = QUOTED.getOrDefault(source, List.of());
        this.found = new String[quoted.size()];
    }

    private static Quoted first(String line) {
        return new Quoted(Pattern.compile(line), false);
    }

    private static Quoted last(String line) {
        return new Quoted(Pattern.compile(line), true);
    }

    static String of(Source source, List<String> lines) {
        FailureReason reason = new FailureReason(source);
        lines.forEach(reason::add);
        return reason.text();
    }

    void add(String line) {
        String plain = COLOR.matcher(line).replaceAll("");
        if (!plain.isBlank()) {
            lastLine = plain.strip();
        }
        for (int i = 0; i < found.length; i++) {
            Quoted each = quoted.get(i);
            if (found[i] == null || each.last()) {
                Matcher matcher = each.line().matcher(plain);
                if (matcher.matches()) {
                    found[i] = matcher.group(1).strip();
                }
            }
        }
    }

    /** One line. */
    String text() {
        String text = lastLine == null ? "no output" : lastLine;
        for (String candidate : found) {
            if (candidate != null) {
                text = candidate;
                break;
            }
        }
        return text.length() <= CHARS_MAX ? text : text.substring(0, CHARS_MAX) + "…";
    }
}
