package petrichor.jobs.channels.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.PetrichorException;

final class BlockCompressorTest {
    private static final int BYTES = 100_000;
    private static final int AT = 40;

    @ParameterizedTest
    @EnumSource(value = Level.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void compressionRoundTripsAndLeavesTheBlockUnchanged(Level level) {
        byte[] block = new byte[BYTES];
        for (int at = 0; at < BYTES; at++) {
            block[at] = (byte) (at / 300 * at % 11);
        }
        byte[] before = block.clone();
        byte[] to = new byte[AT + BlockCompressor.capacityFor(BYTES)];
        try (BlockCompressor compressor = new BlockCompressor();
                BlockDecompressor decompressor = new BlockDecompressor()) {
            int size = compressor.compress(level, block, 0, BYTES, to, AT);
            assertThat(size).isLessThan(BYTES / 2);
            byte[] back = new byte[BYTES];
            decompressor.decompress(level, to, AT, size, back, 0, BYTES);
            assertThat(back).isEqualTo(before).isEqualTo(block);
        }
    }

    @ParameterizedTest
    @EnumSource(Level.class)
    void noiseIsNotCompressed(Level level) {
        byte[] noise = new byte[BYTES];
        new Random(1).nextBytes(noise);
        try (BlockCompressor compressor = new BlockCompressor()) {
            byte[] to = new byte[BlockCompressor.capacityFor(BYTES)];
            assertThat(compressor.compress(level, noise, 0, BYTES, to, 0)).isEqualTo(BYTES);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Level.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void invalidDataIsRefusedWithoutWritingBeyondTheBlock(Level level) {
        Random random = new Random(2);
        byte[] to = new byte[BYTES + 100];
        try (BlockDecompressor decompressor = new BlockDecompressor()) {
            for (int round = 0; round < 200; round++) {
                byte[] rubbish = new byte[1 + random.nextInt(500)];
                random.nextBytes(rubbish);
                Arrays.fill(to, (byte) 7);
                assertThatThrownBy(
                                () ->
                                        decompressor.decompress(
                                                level, rubbish, 0, rubbish.length, to, 0, BYTES))
                        .isInstanceOf(PetrichorException.class);
                assertThat(Arrays.copyOfRange(to, BYTES, to.length)).containsOnly(new byte[] {7});
            }
        }
    }
}
