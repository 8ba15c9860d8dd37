package petrichor.bench.compression;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import petrichor.jobs.channels.compression.BlockCompressor;
import petrichor.jobs.channels.compression.Level;

final class PhotoTest {
    @Test
    void aPhotographCannotBeCompressedAndIsAlwaysTheSame() throws Exception {
        byte[] photo = Photo.jpeg();
        assertThat(photo).hasSizeGreaterThan(150_000).isEqualTo(Photo.jpeg());
        byte[] to = new byte[BlockCompressor.capacityFor(photo.length)];
        try (BlockCompressor compressor = new BlockCompressor()) {
            assertThat(compressor.compress(Level.ZSTD_9, photo, 0, photo.length, to, 0))
                    .isGreaterThan(photo.length * 95 / 100);
        }
    }
}
