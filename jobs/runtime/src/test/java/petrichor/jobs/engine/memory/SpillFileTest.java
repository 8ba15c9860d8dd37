package petrichor.jobs.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;

class SpillFileTest {
    @TempDir Path folder;

    private final BlockPool pool = new BlockPool();

    @Test
    void aFlippedBitOnDiskIsDetected() throws IOException {
        try (SpillFile file = new SpillFile(new SpillArea(folder, Long.MAX_VALUE), pool)) {
            Block block = pool.take();
            block.array[block.begin] = 1;
            block.end = block.begin + 1000;
            block.records = 1;
            file.write(block);
            assertThat(file.read(0).length()).isEqualTo(1000);
            flip(500);
            assertThatThrownBy(() -> file.read(0))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("checksum");
            flip(500);
            flip(2);
            assertThatThrownBy(() -> file.read(0))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("is damaged");
        }
    }

    /** The file is unlinked; on Linux it can be reached through the process that has it open. */
    private void flip(int at) throws IOException {
        try (var open = Files.list(Path.of("/proc/self/fd"))) {
            for (Path link : open.toList()) {
                if (Files.isSymbolicLink(link) && target(link).startsWith(folder.toString())) {
                    try (FileChannel file =
                            FileChannel.open(
                                    link, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                        ByteBuffer one = ByteBuffer.allocate(1);
                        file.read(one, at);
                        one.put(0, (byte) (one.get(0) ^ 1));
                        file.write(one.flip(), at);
                        return;
                    }
                }
            }
        }
        throw new IllegalStateException("no spill file is open");
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return ""; // Closed meanwhile.
        }
    }
}
