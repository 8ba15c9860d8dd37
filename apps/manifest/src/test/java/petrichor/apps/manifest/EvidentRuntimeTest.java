package petrichor.apps.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EvidentRuntimeTest {
    @ParameterizedTest
    @CsvSource({
        "requirements.txt, PYTHON",
        "pyproject.toml, PYTHON",
        "main.py, PYTHON",
        "package.json, NODE",
        "go.mod, GO",
        "pom.xml, JAVA",
        "app.jar, JAVA",
        "ROOT.WAR, JAVA",
        "WEB-INF, JAVA"
    })
    void aFileShowsTheLanguage(String file, Language language) {
        assertThat(EvidentRuntime.of(List.of("readme.md", file, "static")))
                .isEqualTo(new EvidentRuntime.Found(new AppRuntime(language, ""), file));
    }

    @Test
    void severalFilesOfOneLanguageAreNoContradiction() {
        assertThat(EvidentRuntime.of(List.of("requirements.txt", "main.py")))
                .isInstanceOf(EvidentRuntime.Found.class);
    }

    @Test
    void severalLanguagesAreAmbiguous() {
        assertThat(EvidentRuntime.of(List.of("requirements.txt", "package.json", "go.mod")))
                .isEqualTo(
                        new EvidentRuntime.Ambiguous(
                                List.of("requirements.txt", "package.json", "go.mod")));
    }

    @Test
    void otherFilesShowNothing() {
        assertThat(EvidentRuntime.of(List.of("index.html", "Main.py", "jar")))
                .isEqualTo(new EvidentRuntime.Unknown());
    }
}
