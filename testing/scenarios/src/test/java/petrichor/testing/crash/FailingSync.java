package petrichor.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Makes a process's syncs fail, through a small C library that is preloaded before its C library.
 * The library is compiled on demand from failing_sync.c.
 */
final class FailingSync {
    private static final String SOURCE = "failing_sync.c";

    private final Path library;
    private final Path failing;

    private FailingSync(Path library, Path failing) {
        this.library = library;
        this.failing = failing;
    }

    /** Without a C compiler, skips the test, or fails it if CI is set. */
    static FailingSync build(Path folder) throws IOException, InterruptedException {
        Path source = folder.resolve(SOURCE);
        try (InputStream text =
                Objects.requireNonNull(FailingSync.class.getResourceAsStream(SOURCE))) {
            Files.copy(text, source);
        }
        Path library = folder.resolve("failing_sync.so");
        Process compiler;
        try {
            compiler =
                    new ProcessBuilder(
                                    "cc",
                                    "-shared",
                                    "-fPIC",
                                    "-o",
                                    library.toString(),
                                    source.toString(),
                                    "-ldl")
                            .redirectErrorStream(true)
                            .start();
        } catch (IOException noCompiler) {
            String text = "NOT TESTED: a failed sync. It needs a C compiler named cc on the PATH";
            if (System.getenv("CI") != null) {
                return fail(text, noCompiler);
            }
            return abort(text);
        }
        List<String> said = compiler.inputReader().readAllLines();
        assertThat(compiler.waitFor()).as("%s", said).isZero();
        return new FailingSync(library, folder.resolve("failing"));
    }

    /** Environment variables that preload the library. */
    Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "FAILING_SYNC", failing.toString());
    }

    /** From now on every sync fails and its data is lost. */
    void begin() throws IOException {
        Files.createFile(failing);
    }

    /** From now on every sync reports success. */
    void end() throws IOException {
        Files.delete(failing);
    }
}
