package petrichor.frontends.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GlobTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "a a true",
                "a ab false",
                "* ab true",
                "* a/b false",
                "** a/b true",
                "a/*.txt a/b.txt true",
                "a/*.txt a/b/c.txt false",
                "a/**.txt a/b/c.txt true",
                "**/c a/b/c true",
                "**/c c true",
                "**/c bc false",
                "a/**/c a/c true",
                "a/**/c a/b/b/c true",
                "a/**/c a/bc false",
                "a/**/c ac false",
                "a**/c ac false",
                "?b ab true",
                "?b /b false",
                "[a-c]x bx true",
                "[a-c]x dx false",
                "[!a-c]x dx true",
                "[!a-c]x ax false",
                "{a,b*}/x bc/x true",
                "{a,b*}/x c/x false",
                "{a,b}{1,2} b2 true",
                "\\*a *a true",
                "\\*a ba false",
                "a*b*c axxbxxc true",
                "a*b*c axxbxx false",
            })
    void patterns(String glob, String name, boolean matches) {
        assertThat(Glob.of(glob).matches(name)).isEqualTo(matches);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[a", "{a,b", "a\\"})
    void whatIsNotClosedIsRefused(String glob) {
        assertThatThrownBy(() -> Glob.of(glob)).hasMessageContaining("not a pattern");
    }

    @Test
    void patternsAreBounded() {
        assertThatThrownBy(() -> Glob.of("a".repeat(1_025))).hasMessageContaining("1024");
        assertThatThrownBy(() -> Glob.of("{a,b,c}".repeat(4))).hasMessageContaining("alternatives");
    }

    @Test
    void noPatternTakesLong() {
        Glob glob = Glob.of("**a".repeat(300) + "b");
        Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(30),
                () -> assertThat(glob.matches("a".repeat(1_024))).isFalse());
    }
}
