package petrichor.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that messages, documents and comments use none of the words that the glossary rejects. A
 * finding has the file, the line, the word and its replacement.
 */
final class LanguageTest {
    private static final Path ROOT = RejectedWords.ROOT;
    private static final Set<String> GENERATED =
            Set.of("target", "node_modules", ".git", ".cache", ".venv", ".test", "petrichor-data");

    private final RejectedWords rejected = RejectedWords.read();

    @Test
    void messagesUseNoRejectedWord() throws IOException {
        List<String> findings = new ArrayList<>();
        List<Path> sources = sources();
        for (Path source : sources) {
            for (JavaText.Part message : JavaText.messages(Files.readString(source))) {
                findings.addAll(rejected.findings(name(source), message));
            }
        }
        assertThat(findings).isEmpty();
        assertThat(sources).hasSizeGreaterThan(1_000);
    }

    @Test
    void documentsUseNoRejectedWord() throws IOException {
        List<String> findings = new ArrayList<>();
        List<Path> documents = new ArrayList<>(files(".md"));
        assertThat(documents.remove(RejectedWords.GLOSSARY)).as("it names the words").isTrue();
        for (Path document : documents) {
            for (JavaText.Part line : JavaText.lines(Files.readString(document))) {
                findings.addAll(rejected.findings(name(document), line));
            }
        }
        assertThat(findings).isEmpty();
        assertThat(documents).hasSizeGreaterThan(80);
    }

    @Test
    void commentsUseNoRejectedWord() throws IOException {
        List<String> findings = new ArrayList<>();
        for (Path source : sources()) {
            for (JavaText.Part comment : JavaText.comments(Files.readString(source))) {
                findings.addAll(rejected.findings(name(source), comment));
            }
        }
        assertThat(findings).isEmpty();
    }

    @Test
    void aPlantedWordIsFoundWhereItIs() {
        String source =
                """
                /** A lease. The holder is
                 * told when it ends. */
                class Lease {
                    String text = "the job cannot be gone"
                            + " on with";
                }
                """;
        assertThat(JavaText.messages(source))
                .singleElement()
                .satisfies(
                        message ->
                                assertThat(rejected.findings("Lease.java", message))
                                        .singleElement()
                                        .asString()
                                        .startsWith("Lease.java:4: \"gone on\": write continue"));
        assertThat(JavaText.comments(source))
                .singleElement()
                .satisfies(
                        comment ->
                                assertThat(rejected.findings("Lease.java", comment))
                                        .singleElement()
                                        .asString()
                                        .startsWith("Lease.java:1: \"told\": write reported"));
        assertThat(rejected.findings("page.md", new JavaText.Part(7, "`Whoever` is a class")))
                .as("names of code in a document")
                .isEmpty();
        assertThat(rejected.findings("page.md", new JavaText.Part(7, "Whoever has the turn")))
                .singleElement()
                .asString()
                .startsWith("page.md:7: \"Whoever\"");
    }

    private static String name(Path file) {
        return ROOT.relativize(file).toString();
    }

    private static List<Path> sources() throws IOException {
        return files(".java").stream().filter(file -> name(file).contains("/src/main/")).toList();
    }

    private static List<Path> files(String ending) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(
                ROOT,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) {
                        return GENERATED.contains(folder.getFileName().toString())
                                ? FileVisitResult.SKIP_SUBTREE
                                : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        Stream.of(file)
                                .filter(it -> it.toString().endsWith(ending))
                                .forEach(found::add);
                        return FileVisitResult.CONTINUE;
                    }
                });
        found.sort(null);
        return found;
    }
}
