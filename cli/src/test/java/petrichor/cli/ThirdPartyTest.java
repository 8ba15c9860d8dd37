package petrichor.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that THIRD-PARTY.md lists every third-party jar of the built program. */
class ThirdPartyTest {
    private static final Path LIST = Path.of("..", "THIRD-PARTY.md");
    private static final Path ASSEMBLED = Path.of("target");
    private static final List<String> FOLDERS = List.of("lib", "stores", "backends");
    private static final Pattern ROW = Pattern.compile("\\| `[^:`]+:([^`]+)` \\| (\\S.*) \\|");
    private static final Pattern JAR =
            Pattern.compile("(.+?)-(?:v\\d+-rev\\d+-)?\\d[\\w.-]*\\.jar");
    private static final String OURS = "-0.1.0.jar";

    @Test
    void everyShippedLibraryHasALicence() throws IOException {
        assumeTrue(
                Files.isDirectory(ASSEMBLED.resolve("lib")),
                "NOT TESTED: licences of shipped jars; the program is not assembled yet");
        Set<String> listed = listed();
        Set<String> missing = new TreeSet<>();
        for (String jar : shipped()) {
            Matcher name = JAR.matcher(jar);
            if (!name.matches() || !listed.contains(name.group(1))) {
                missing.add(jar);
            }
        }
        assertThat(missing).as("shipped, and not in THIRD-PARTY.md").isEmpty();
    }

    private static Set<String> listed() throws IOException {
        return Files.readAllLines(LIST).stream()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .map(row -> row.group(1))
                .collect(Collectors.toSet());
    }

    private static Set<String> shipped() throws IOException {
        Set<String> jars = new TreeSet<>();
        for (String folder : FOLDERS) {
            Path parent = ASSEMBLED.resolve(folder);
            if (Files.isDirectory(parent)) {
                try (Stream<Path> files = Files.walk(parent)) {
                    files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".jar") && !name.endsWith(OURS))
                            .forEach(jars::add);
                }
            }
        }
        return jars;
    }
}
