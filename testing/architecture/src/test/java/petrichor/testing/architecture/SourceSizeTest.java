package petrichor.testing.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks that Java sources, tests included, are short enough to be read as a whole. */
final class SourceSizeTest {
    private static final int LINES_MAX = 500;

    @Test
    void noJavaFileIsLongerThanTheLimit() {
        List<Path> sources = RepositoryFiles.endingWith(".java");
        assertThat(sources)
                .filteredOn(file -> RepositoryFiles.read(file).lines().count() > LINES_MAX)
                .as("split these files by subject")
                .isEmpty();
        assertThat(sources).hasSizeGreaterThan(2_000);
    }
}
