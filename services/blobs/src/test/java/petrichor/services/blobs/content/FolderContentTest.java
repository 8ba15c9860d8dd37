package petrichor.services.blobs.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;

class FolderContentTest implements ContentConformance {
    private static final ContentId ID = new ContentId("p", 1, 2);

    @TempDir private Path folder;
    private FolderContent content;

    @BeforeEach
    void open() {
        content = FolderContent.open(folder.resolve("blobs"));
    }

    @Override
    public BlobContent content() {
        return content;
    }

    private Path file() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).findFirst().orElseThrow();
        }
    }

    private void write(int bytes) {
        try (ContentWriter writer = content.append(ID, 0)) {
            writer.write(new byte[bytes], 0, bytes);
            writer.finish();
        }
    }

    @Test
    void aFlippedBitIsNoticed() throws IOException {
        write(2 * GRANULE);
        try (RandomAccessFile file = new RandomAccessFile(file().toFile(), "rw")) {
            file.seek(GRANULE + 100);
            file.write(1);
        }
        try (ContentReader reader = content.read(ID, 0, 2L * GRANULE)) {
            assertThat(reader.next()).hasSize(GRANULE);
            assertThatThrownBy(reader::next)
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("block 1")
                    .hasMessageContaining("damaged");
        }
    }

    @Test
    void aShortenedFileIsNoticed() throws IOException {
        write(2 * GRANULE);
        try (RandomAccessFile file = new RandomAccessFile(file().toFile(), "rw")) {
            file.setLength(GRANULE + 50);
        }
        assertThatThrownBy(() -> content.append(ID, 2L * GRANULE)).hasMessageContaining("fewer");
        try (ContentReader reader = content.read(ID, GRANULE, 2L * GRANULE)) {
            assertThatThrownBy(reader::next).hasMessageContaining("damaged");
        }
    }

    @Test
    void anOpenReaderFinishesAfterADeletion() {
        write(3 * GRANULE);
        try (ContentReader reader = content.read(ID, 0, 3L * GRANULE)) {
            reader.next();
            content.delete(ID);
            assertThat(reader.next()).hasSize(GRANULE);
            assertThat(reader.next()).hasSize(GRANULE);
            assertThat(reader.next()).isNull();
        }
    }

    @Test
    void noFileLeavesTheFolder() throws IOException {
        ContentId escaping = new ContentId("..", 1, 2);
        try (ContentWriter writer = content.append(escaping, 0)) {
            writer.finish();
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(folder.resolve("blobs"));
        }
    }
}
