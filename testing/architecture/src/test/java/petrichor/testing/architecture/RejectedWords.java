package petrichor.testing.architecture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The table of rejected words at the end of the glossary. */
final class RejectedWords {
    static final Path GLOSSARY = RepositoryFiles.ROOT.resolve("docs/reference/glossary.md");
    private static final String HEADING = "## Rejected words";

    /** Names of code are not prose: in documents in backquotes, in comments in a tag. */
    private static final Pattern CODE =
            Pattern.compile("`[^`]*`|\\{@(?:code|link|linkplain|value) [^}]*}|\\]\\([^)]*\\)");

    private record Rejected(Pattern pattern, String instead) {}

    private final List<Rejected> all = new ArrayList<>();

    private RejectedWords(String glossary) {
        String table = glossary.substring(glossary.indexOf(HEADING));
        for (String row : table.lines().filter(line -> line.startsWith("| ")).skip(1).toList()) {
            String[] cells = row.split("\\|", -1);
            for (String words : cells[1].split(",", -1)) {
                all.add(new Rejected(pattern(words.strip()), cells[2].strip()));
            }
        }
    }

    static RejectedWords read() {
        return new RejectedWords(RepositoryFiles.read(GLOSSARY));
    }

    /** Exceptions: "it is no longer" and "is no more than" are correct. */
    private static Pattern pattern(String words) {
        return Pattern.compile("(?i)\\b" + words.replace(" ", "\\s+") + "\\b(?! longer| more)");
    }

    List<String> findings(String file, JavaText.Part part) {
        String prose = CODE.matcher(part.text()).replaceAll("…");
        List<String> found = new ArrayList<>();
        for (Rejected each : all) {
            Matcher matcher = each.pattern().matcher(prose);
            if (matcher.find()) {
                found.add(
                        "%s:%d: \"%s\": write %s instead, in: %s"
                                .formatted(
                                        file,
                                        part.line(),
                                        matcher.group(),
                                        each.instead(),
                                        prose.strip()));
            }
        }
        return found;
    }
}
