package petrichor.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFolderTest {
    @TempDir Path parent;

    @Test
    void newAndExistingFoldersAreAccessibleOnlyByTheirOwner() throws IOException {
        Path fresh = parent.resolve("a").resolve("b");
        PrivateFolder.create(fresh);
        assertThat(mode(fresh)).isEqualTo("rwx------");
        Path open = Files.createDirectory(parent.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        PrivateFolder.create(open);
        assertThat(mode(open)).isEqualTo("rwx------");
    }

    private static String mode(Path folder) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(folder));
    }
}
