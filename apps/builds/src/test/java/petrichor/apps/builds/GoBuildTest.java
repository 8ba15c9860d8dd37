package petrichor.apps.builds;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real builds of Go apps. */
class GoBuildTest {
    private static final String HELLO =
            """
            package main

            func main() { println("hello") }
            """;

    @TempDir Path temporary;
    private Workshop workshop;

    @BeforeEach
    void open() throws Exception {
        workshop = new Workshop(temporary);
    }

    @AfterEach
    void close() throws Exception {
        workshop.close();
    }

    private static String goMod(String more) {
        return "module demo\n\ngo 1.21\n\n%s\n".formatted(more);
    }

    @Test
    void anAppWithoutModulesBecomesABinary() throws Exception {
        var built =
                workshop.built(
                        workshop.request(
                                RuntimeFamily.GO, Map.of("go.mod", goMod(""), "main.go", HELLO)));
        assertThat(workshop.run(built)).isEqualTo("hello\n");
        assertThat(workshop.leftovers()).isEmpty();
    }

    @Test
    @Tag("slow")
    void aModuleIsDownloadedAndACommandFolderIsFound() throws Exception {
        var built =
                workshop.built(
                        workshop.request(
                                RuntimeFamily.GO,
                                Map.of(
                                        "go.mod",
                                        goMod("require github.com/google/uuid v1.6.0"),
                                        "go.sum",
                                        """
                                        github.com/google/uuid v1.6.0 h1:NIvaJDMOsjHA8n1jAhLSgzrAzy1Hgr+hNrb57e+94F0=
                                        github.com/google/uuid v1.6.0/go.mod h1:TIyPZe4MgqvfeYDBFedMoGGpEw/LqOeaOT+nhxU+yHo=
                                        """,
                                        "cmd/server/main.go",
                                        """
                                        package main

                                        import "github.com/google/uuid"

                                        func main() { println(uuid.Nil.String()) }
                                        """)));
        assertThat(workshop.run(built)).isEqualTo("00000000-0000-0000-0000-000000000000\n");
    }

    @Test
    void vendoredModulesAreUsed() throws Exception {
        var built =
                workshop.built(
                        workshop.request(
                                RuntimeFamily.GO,
                                Map.of(
                                        "go.mod",
                                        goMod("require example.invalid/word v1.0.0"),
                                        "vendor/modules.txt",
                                        """
                                        # example.invalid/word v1.0.0
                                        ## explicit; go 1.21
                                        example.invalid/word
                                        """,
                                        "vendor/example.invalid/word/word.go",
                                        "package word\n\nconst Word = \"moon\"\n",
                                        "main.go",
                                        """
                                        package main

                                        import "example.invalid/word"

                                        func main() { println(word.Word) }
                                        """)));
        assertThat(workshop.run(built)).isEqualTo("moon\n");
    }

    @Test
    void theFirstErrorOfTheCompilerIsTheReason() throws Exception {
        var failed =
                workshop.failed(
                        workshop.request(
                                RuntimeFamily.GO,
                                Map.of(
                                        "go.mod",
                                        goMod(""),
                                        "main.go",
                                        "package main\n\nfunc main() { moon() }\n")));
        assertThat(failed.stage()).isEqualTo(BuildStage.COMPILE);
        assertThat(failed.reason()).isEqualTo("go build failed: main.go:3:15: undefined: moon");
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        assertThat(
                        workshop.failed(
                                        workshop.request(
                                                RuntimeFamily.GO, Map.of("main.go", HELLO)))
                                .reason())
                .isEqualTo("the app has no go.mod: create it by go mod init");
        Map<String, String> newer = Map.of("go.mod", "module demo\n\ngo 1.999\n", "main.go", HELLO);
        assertThat(workshop.failed(workshop.request(RuntimeFamily.GO, newer)).reason())
                .contains("requires go >= 1.999");
        Map<String, String> none = Map.of("go.mod", "module demo\n", "lib/lib.go", "package lib\n");
        assertThat(workshop.failed(workshop.request(RuntimeFamily.GO, none)).reason())
                .contains("GOOGLE_BUILDABLE");
        Workshop bare = new Workshop(temporary, settings -> settings.withToolFolders(List.of()));
        assertThat(bare.failed(workshop.request(RuntimeFamily.GO, newer)).reason())
                .isEqualTo("Go is not installed for the user of builds (found: none): install it");
    }
}
