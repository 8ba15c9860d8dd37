package petrichor.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileProblemTest {
    @Test
    void aMissingFileIsReportedAsMissing(@TempDir Path folder) {
        Path none = folder.resolve("none");
        IOException thrown =
                assertThrows(NoSuchFileException.class, () -> Files.readAllBytes(none));
        PetrichorException told = FileProblem.of("cannot read " + none, thrown);
        assertThat(told.code()).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(told).hasMessage("cannot read " + none + ": there is no such file or folder");
    }

    @Test
    void otherReasonsAreThoseOfTheSystem() {
        assertThat(FileProblem.of("cannot write x", new AccessDeniedException("x")).code())
                .isEqualTo(ErrorCode.PERMISSION_DENIED);
        assertThat(FileProblem.reason(new FileSystemException("x", null, "No space left")))
                .isEqualTo("No space left");
        assertThat(FileProblem.reason(new EOFException())).contains("truncated");
        assertThat(FileProblem.reason(new IOException())).isNotBlank();
    }
}
