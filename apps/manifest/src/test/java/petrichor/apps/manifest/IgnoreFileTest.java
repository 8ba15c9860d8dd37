package petrichor.apps.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IgnoreFileTest {
    private static final int ROUNDS = 100;
    private static final int PATTERNS = 12;
    private static final List<String> PARTS =
            List.of(
                    "a",
                    "b",
                    "ab",
                    "*",
                    "?",
                    "**",
                    "[ab]",
                    "[!a]",
                    "[^b]",
                    "[a-c]",
                    "[]a]",
                    "[a-]",
                    "[[:alpha:]]",
                    "[c-a]",
                    "[.-0]",
                    "\\*",
                    "\\a",
                    "a*",
                    "*b",
                    "a.b",
                    "*.b",
                    "***",
                    "**b",
                    "[a",
                    "[\\]a]",
                    "[a-c-e]",
                    "[[:digit:][:upper:]]");
    private static final List<String> NAMES =
            List.of("a", "b", "ab", "ba", "a.b", ".b", "c", "aab", "*", "]", "-", "A", "1");

    /** What Git 2.39 and earlier read as whole names depends on addresses in memory. */
    private static final Pattern STARS_AFTER_A_LETTER = Pattern.compile("[^/!*]\\*{2,}( *$|/)");

    @TempDir Path folder;

    private static IgnoreFile parse(String text) {
        return IgnoreFile.parse(text, name -> Optional.empty());
    }

    @ParameterizedTest
    @CsvSource({
        "*.pyc, a/b.pyc, true",
        "/build, build/x, true",
        "/build, a/build, false",
        "build/, a/build/x, true",
        "build/, a/build, false",
        "a/**/b, a/x/y/b, true",
        "a/**/b, a/b, true",
        "**/x, a/b/x, true",
        "a/**, a/b, true",
        "a/**, a, false",
        "a/*, a/b/c, true",
        "node_modules, web/node_modules/x/y.js, true",
    })
    void matchesPatterns(String pattern, String file, boolean ignored) {
        assertThat(parse(pattern).ignores(file, false)).isEqualTo(ignored);
    }

    @Test
    void aLaterPatternIncludesAFileAgain() {
        IgnoreFile file = parse("# logs\n*.log\n!keep.log\n\\!odd\nlogs/\n!logs/keep.log\n");
        assertThat(file.ignores("x.log", false)).isTrue();
        assertThat(file.ignores("keep.log", false)).isFalse();
        assertThat(file.ignores("!odd", false)).isTrue();
        assertThat(file.ignores("logs/keep.log", false)).isTrue();
    }

    @Test
    void spacesAtTheEndCountIfTheyAreEscaped() {
        assertThat(parse("a  ").ignores("a", false)).isTrue();
        assertThat(parse("a\\  ").ignores("a ", false)).isTrue();
        assertThat(parse("a\\\\ ").ignores("a\\", false)).isTrue();
    }

    @Test
    void readsIncludedFilesOnce() {
        Map<String, String> files = new HashMap<>();
        files.put(".gcloudignore", "a\n#!include:.gitignore\n");
        files.put(".gitignore", "b\n#!include:other\n");
        files.put("other", "c\n");
        IgnoreFile file = IgnoreFile.of(name -> Optional.ofNullable(files.get(name)));
        assertThat(file.ignores("a", false)).isTrue();
        assertThat(file.ignores("b", false)).isTrue();
        assertThat(file.ignores("c", false)).isFalse();
        files.remove(".gcloudignore");
        IgnoreFile standard = IgnoreFile.of(name -> Optional.ofNullable(files.get(name)));
        assertThat(standard.ignores(".git/config", false)).isTrue();
        assertThat(standard.ignores("b", false)).isTrue();
        assertThat(standard.ignores("a", false)).isFalse();
    }

    @Test
    @Timeout(20)
    void matchingTakesLinearTime() {
        IgnoreFile file = parse("a*".repeat(30) + "b");
        assertThat(file.ignores("a".repeat(5_000), false)).isFalse();
    }

    @Test
    void sizesAreLimited() {
        String comment = "#".repeat(IgnoreFile.TEXT_CHARACTERS_MAX);
        assertThat(parse(comment).ignores("a", false)).isFalse();
        assertThatThrownBy(() -> parse(comment + "#")).hasMessageContaining("at most 262144");
        String patterns = "a\n".repeat(IgnoreFile.PATTERNS_MAX);
        assertThat(parse(patterns).ignores("a", false)).isTrue();
        assertThatThrownBy(() -> parse(patterns + "a")).hasMessageContaining("more than 10000");
        String pattern = "a".repeat(IgnoreFile.PATTERN_CHARACTERS_MAX);
        assertThat(parse(pattern).ignores(pattern, false)).isTrue();
        assertThatThrownBy(() -> parse(pattern + "a")).hasMessageContaining("at most 1000");
    }

    /**
     * The same random patterns and files, by Git. Names are ASCII: a question mark is a byte for
     * Git, and a character for Google's tools and for us.
     */
    @Test
    @Timeout(300)
    void agreesWithGit() throws IOException, InterruptedException {
        Assumptions.assumeTrue(
                System.getenv("CI") != null || !run(List.of("git", "--version"), "").isEmpty());
        long seed = Long.getLong("seed", 15);
        Random random = new Random(seed);
        run(List.of("git", "-C", folder.toString(), "init", "-q"), "");
        Set<String> files = files(random);
        for (int round = 0; round < ROUNDS; round++) {
            String patterns = patterns(random);
            Files.writeString(folder.resolve(".gitignore"), patterns);
            Set<String> byGit =
                    new TreeSet<>(
                            List.of(
                                    run(
                                                    List.of(
                                                            "git",
                                                            "-C",
                                                            folder.toString(),
                                                            "-c",
                                                            "core.quotePath=false",
                                                            "check-ignore",
                                                            "--no-index",
                                                            "--stdin",
                                                            "-z"),
                                                    String.join("\0", files) + "\0")
                                            .split("\0")));
            byGit.remove("");
            IgnoreFile ours = parse(patterns);
            Set<String> byUs = new TreeSet<>();
            for (String file : files) {
                if (ours.ignores(file, Files.isDirectory(folder.resolve(file)))) {
                    byUs.add(file);
                }
            }
            assertThat(byUs).as("seed %d round %d:\n%s", seed, round, patterns).isEqualTo(byGit);
        }
    }

    /** Creates them, because patterns that end with a slash match only folders. */
    private Set<String> files(Random random) throws IOException {
        Set<String> files = new TreeSet<>();
        for (int i = 0; i < 150; i++) {
            Path path = folder;
            int depth = 1 + random.nextInt(3);
            for (int level = 0; level < depth && !Files.isRegularFile(path); level++) {
                path = path.resolve(NAMES.get(random.nextInt(NAMES.size())));
                files.add(folder.relativize(path).toString());
                if (level + 1 < depth && !Files.exists(path)) {
                    Files.createDirectory(path);
                }
            }
            if (!Files.exists(path)) {
                Files.createFile(path);
            }
        }
        files.removeIf(file -> !Files.exists(folder.resolve(file)));
        return files;
    }

    private static String patterns(Random random) {
        StringBuilder patterns = new StringBuilder();
        int lines = 0;
        while (lines < PATTERNS) {
            String line = pattern(random);
            if (!STARS_AFTER_A_LETTER.matcher(line).find()) {
                patterns.append(line).append('\n');
                lines++;
            }
        }
        return patterns.toString();
    }

    private static String pattern(Random random) {
        StringBuilder line = new StringBuilder();
        line.append(random.nextInt(5) == 0 ? "!" : "").append(random.nextInt(4) == 0 ? "/" : "");
        int parts = 1 + random.nextInt(3);
        for (int part = 0; part < parts; part++) {
            line.append(PARTS.get(random.nextInt(PARTS.size())));
            line.append(part + 1 < parts && random.nextInt(3) > 0 ? "/" : "");
        }
        line.append(random.nextInt(5) == 0 ? "/" : "").append(random.nextInt(8) == 0 ? "  " : "");
        return line.toString();
    }

    private String run(List<String> command, String input)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(command));
        builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
        builder.environment().put("LC_ALL", "C.UTF-8");
        Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (var stdin = process.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }
}
