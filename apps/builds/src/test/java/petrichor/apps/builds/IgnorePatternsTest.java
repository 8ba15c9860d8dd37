package petrichor.apps.builds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IgnorePatternsTest {
    @ParameterizedTest
    @CsvSource({
        "*.pyc, a.pyc, true",
        "*.pyc, x/y/a.pyc, true",
        "*.pyc, a.pyc.txt, false",
        "/a.txt, a.txt, true",
        "/a.txt, x/a.txt, false",
        "build/, build/x, true",
        "build/, x/build/y/z, true",
        "build/, build, false",
        "x/build, x/build/a, true",
        "x/build, y/x/build/a, false",
        "**/logs, a/b/logs/x, true",
        "a/**/z, a/z, true",
        "a/**/z, a/b/c/z, true",
        "a/**, a/b/c, true",
        "a/**, b/a/c, false",
        "f?o, foo, true",
        "f?o, f/o, false",
        "[a-c]x, bx, true",
        "[!a-c]x, bx, false",
        "[!a-c]x, dx, true",
        "a.b, axb, false",
        "#a, #a, false",
        "\\#a, #a, true"
    })
    void aPatternMatchesAsInGit(String pattern, String path, boolean ignored) {
        assertThat(IgnorePatterns.of(List.of(pattern)).ignoresFile(path)).isEqualTo(ignored);
    }

    @Test
    void theLastMatchCountsButNotInAnIgnoredFolder() {
        IgnorePatterns patterns =
                IgnorePatterns.of(List.of("*.log", "!keep.log", "tmp/", "!tmp/keep.log"));
        assertThat(patterns.ignoresFile("a.log")).isTrue();
        assertThat(patterns.ignoresFile("x/keep.log")).isFalse();
        assertThat(patterns.ignoresFile("tmp/keep.log")).isTrue();
    }

    @Test
    void anInvalidPatternIsNamed() {
        assertThatThrownBy(() -> IgnorePatterns.of(List.of("[z-a]x")))
                .hasMessageContaining("[z-a]x");
    }
}
