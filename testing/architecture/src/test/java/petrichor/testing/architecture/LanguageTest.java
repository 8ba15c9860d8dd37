package petrichor.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Checks that messages, documents and comments use none of the words that the glossary rejects. A
 * finding has the file, the line, the word and its replacement.
 */
final class LanguageTest {
    private final RejectedWords rejected = RejectedWords.read();

    @Test
    void messagesUseNoRejectedWord() {
        List<String> findings = new ArrayList<>();
        List<Path> sources = RepositoryFiles.mainSources();
        for (Path source : sources) {
            for (JavaText.Part message : JavaText.messages(RepositoryFiles.read(source))) {
                findings.addAll(rejected.findings(RepositoryFiles.name(source), message));
            }
        }
        assertThat(findings).isEmpty();
        assertThat(sources).hasSizeGreaterThan(1_000);
    }

    @Test
    void documentsUseNoRejectedWord() {
        List<String> findings = new ArrayList<>();
        List<Path> documents = new ArrayList<>(RepositoryFiles.endingWith(".md"));
        assertThat(documents.remove(RejectedWords.GLOSSARY)).as("it names the words").isTrue();
        for (Path document : documents) {
            for (JavaText.Part line : JavaText.lines(RepositoryFiles.read(document))) {
                findings.addAll(rejected.findings(RepositoryFiles.name(document), line));
            }
        }
        assertThat(findings).isEmpty();
        assertThat(documents).hasSizeGreaterThan(80);
    }

    @Test
    void commentsUseNoRejectedWord() {
        List<String> findings = new ArrayList<>();
        for (Path source : RepositoryFiles.mainSources()) {
            for (JavaText.Part comment : JavaText.comments(RepositoryFiles.read(source))) {
                findings.addAll(rejected.findings(RepositoryFiles.name(source), comment));
            }
        }
        assertThat(findings).isEmpty();
    }

    @Test
    void scriptsAndSchemasUseNoRejectedWord() {
        List<String> findings = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (Path file : RepositoryFiles.texts()) {
            String name = RepositoryFiles.name(file);
            String text = RepositoryFiles.read(file);
            if (ScriptText.isKnown(name, text)) {
                seen.add(name);
                for (JavaText.Part part : ScriptText.prose(name, text)) {
                    findings.addAll(rejected.findings(name, part));
                }
            }
        }
        assertThat(findings).isEmpty();
        assertThat(seen)
                .contains(
                        "petrichor",
                        "testing/suite/suite.py",
                        "docs/operate/monitoring/alerts.yml",
                        "rpc/src/main/proto/petrichor/rpc/v1/peers.proto",
                        "kv/redis/src/main/resources/petrichor/kv/redis/apply.lua");
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

    @Test
    void aPlantedWordInAScriptIsFound() {
        String python = "name = told  # the job is told\nprint(f\"job {id} goes on\")\n";
        assertThat(ScriptText.prose("job.py", python))
                .flatMap(part -> rejected.findings("job.py", part))
                .satisfiesExactly(
                        told -> assertThat(told).startsWith("job.py:1: \"told\""),
                        goesOn -> assertThat(goesOn).startsWith("job.py:2: \"goes on\""));
        String schema = "message Told {\n  // Whether it was told.\n  bool told = 1;\n}\n";
        assertThat(ScriptText.prose("job.proto", schema))
                .flatMap(part -> rejected.findings("job.proto", part))
                .singleElement()
                .asString()
                .startsWith("job.proto:2: \"told\"");
        String shell = "#!/bin/sh\ntell=$1\necho \"tell it\"\n";
        assertThat(ScriptText.isKnown("run", shell)).isTrue();
        assertThat(ScriptText.prose("run", shell))
                .flatMap(part -> rejected.findings("run", part))
                .singleElement()
                .asString()
                .startsWith("run:3: \"tell\"");
    }
}
