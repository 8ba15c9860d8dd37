package petrichor.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Checks that the classes, members, modules, files and sections that documents and comments mention
 * exist. {@code foreign-names.txt} lists names of other products, and {@code former-names.txt}
 * names that only design notes and the glossary may still mention.
 */
final class ReferencesTest {
    private static final RepositoryNames NAMES = RepositoryNames.read();

    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final Pattern TAG =
            Pattern.compile("\\{@(?:code|link|linkplain|value) ([^}]*)}");
    private static final Pattern CHAIN =
            Pattern.compile("(?<![\\w/$.-])[A-Za-z_]\\w*(?:[.#][A-Za-z_]\\w*)*(?![\\w/-])");
    private static final Pattern CAMEL_CASE =
            Pattern.compile("(?<![\\w/.@])[A-Z][a-z0-9]+[A-Z]\\w*(?![\\w/])");
    private static final Pattern PATH = Pattern.compile("(?<![\\w/.:-])[a-z]+(?:/[\\w.*-]+)+");
    private static final Pattern DOCUMENT = Pattern.compile("(?<![\\w:/-])[\\w/.-]*\\w\\.md\\b");

    /** A document by its name alone, with a section: {@code ARCHITECTURE, "Rows"}. */
    private static final Pattern SECTION =
            Pattern.compile("\\b([A-Z]{5,})(?: \\d+\\.\\d+|,? \"([^\"]+)\")");

    @Test
    void documentsMentionExistingNames() {
        assertThat(documents()).hasSizeGreaterThan(80);
        assertThat(inDocuments()).isEmpty();
    }

    @Test
    void commentsMentionExistingNames() {
        assertThat(inComments()).isEmpty();
    }

    @Test
    void theListsOfNamesHaveNoUnneededEntries() {
        assertThat(inDocuments()).isEmpty();
        assertThat(inComments()).isEmpty();
        assertThat(NAMES.unneededEntries()).isEmpty();
    }

    /** The changelog describes former versions. */
    private static List<Path> documents() {
        return RepositoryFiles.endingWith(".md").stream()
                .filter(file -> !file.endsWith("CHANGELOG.md"))
                .toList();
    }

    private static List<String> inDocuments() {
        return documents().stream()
                .flatMap(file -> inDocument(file, RepositoryFiles.read(file)).stream())
                .toList();
    }

    private static List<String> inComments() {
        return RepositoryFiles.endingWith(".java").stream()
                .flatMap(file -> inComments(file, RepositoryFiles.read(file)).stream())
                .toList();
    }

    @Test
    void plantedWrongNamesAreFound() {
        Path page = RepositoryFiles.ROOT.resolve("docs/page.md");
        assertThat(inDocument(page, "`RocksStore` in `kv/rocksdb`, `Sequencer.conflict`"))
                .isEmpty();
        assertThat(
                        inDocument(
                                page,
                                """
                                `RockStore` is in
                                `kv/rocks`; `Sequencer.conflicts` and
                                `someTestThatIsGone`.
                                """))
                .containsExactly(
                        "docs/page.md:1: RockStore does not exist",
                        "docs/page.md:2: kv/rocks does not exist",
                        "docs/page.md:2: Sequencer.conflicts does not exist",
                        "docs/page.md:3: someTestThatIsGone does not exist");
        Path source = RepositoryFiles.ROOT.resolve("base/Planted.java");
        assertThat(
                        inComments(
                                source,
                                """
                                /** As {@link RocksStore}, in {@code kv/rocksdb}. ARCHITECTURE, "Rows". */
                                class Planted {}
                                """))
                .isEmpty();
        assertThat(
                        inComments(
                                source,
                                """
                                /** As {@code RockStore} and the SortedRocks of jobs/channel. */
                                class Planted {
                                    // See DESIGN 3.2, notes.md and ARCHITECTURE, "Columns".
                                }
                                """))
                .containsExactly(
                        "base/Planted.java:1: RockStore does not exist",
                        "base/Planted.java:1: SortedRocks does not exist",
                        "base/Planted.java:1: jobs/channel does not exist",
                        "base/Planted.java:3: notes.md does not exist",
                        "base/Planted.java:3: DESIGN 3.2 does not exist",
                        "base/Planted.java:3: ARCHITECTURE, \"Columns\" does not exist");
    }

    private static List<String> inDocument(Path document, String text) {
        String name = RepositoryFiles.name(document);
        boolean formerAllowed =
                name.startsWith("docs/design/") || document.equals(RejectedWords.GLOSSARY);
        List<String> findings = new ArrayList<>();
        boolean example = false;
        for (JavaText.Part line : JavaText.lines(text)) {
            example ^= line.text().startsWith("```");
            if (example) {
                continue;
            }
            Findings found = new Findings(name + ":" + line.line(), formerAllowed, findings);
            QUOTED.matcher(line.text())
                    .results()
                    .forEach(
                            quoted -> {
                                found.identifiers(CHAIN, quoted.group(1));
                                found.paths(quoted.group(1));
                            });
        }
        return findings;
    }

    private static List<String> inComments(Path source, String text) {
        List<String> findings = new ArrayList<>();
        for (JavaText.Part comment : JavaText.comments(text)) {
            Findings found =
                    new Findings(
                            RepositoryFiles.name(source) + ":" + comment.line(), false, findings);
            TAG.matcher(comment.text())
                    .results()
                    .forEach(tag -> found.identifiers(CHAIN, tag.group(1)));
            found.identifiers(CAMEL_CASE, TAG.matcher(comment.text()).replaceAll("…"));
            found.paths(comment.text());
            found.documents(comment.text());
        }
        return findings;
    }

    /** Collects the wrong names of one place. */
    private record Findings(String place, boolean formerAllowed, List<String> all) {
        void identifiers(Pattern pattern, String text) {
            pattern.matcher(text)
                    .results()
                    .map(each -> NAMES.wrongIdentifier(each.group(), formerAllowed))
                    .filter(wrong -> !wrong.isEmpty())
                    .forEach(this::add);
        }

        void paths(String text) {
            PATH.matcher(text)
                    .results()
                    .map(each -> each.group().replaceAll("\\.+$", ""))
                    .filter(path -> NAMES.isWrongPath(path, formerAllowed))
                    .forEach(this::add);
        }

        void documents(String text) {
            DOCUMENT.matcher(text)
                    .results()
                    .filter(each -> !NAMES.hasDocument(each.group()))
                    .forEach(each -> add(each.group()));
            Matcher section = SECTION.matcher(text);
            while (section.find()) {
                String document = section.group(1) + ".md";
                boolean exists =
                        NAMES.hasDocument(document)
                                && section.group(2) != null
                                && NAMES.hasSection(document, section.group(2));
                if (!exists) {
                    add(section.group());
                }
            }
        }

        private void add(String name) {
            all.add(place + ": " + name + " does not exist");
        }
    }
}
