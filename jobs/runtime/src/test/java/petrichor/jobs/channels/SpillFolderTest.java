package petrichor.jobs.channels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.compression.FixedLevel;
import petrichor.jobs.channels.compression.Level;
import petrichor.jobs.channels.compression.PipelineModel;

/** Channels through files: complete, corrupt, too many, and on a full disk. */
final class SpillFolderTest {
    private static final long SEED = Long.getLong("seed", System.nanoTime());
    private static final long PLENTY = 1L << 30;

    private final BlockPool pool = new BlockPool();

    @TempDir Path temporary;

    @Test
    void aFileCanBeReadRepeatedly() {
        try (SpillFolder folder = open(PLENTY)) {
            SpillFile file = folder.create("7");
            ExchangeTest.writeAll(file.writer(PipelineModel.forFile()), 7, 100, pool);
            assertThat(ExchangeTest.readAll(file.reader(), 7, pool)).isEqualTo(100);
            assertThat(ExchangeTest.readAll(file.reader(), 7, pool)).isEqualTo(100);
            assertThat(folder.bytesUsed()).isEqualTo(file.bytes()).isPositive();
            file.delete();
            assertThat(folder.bytesUsed()).isZero();
        }
    }

    @Test
    void nothingIsLeftWhenTheFolderIsClosed() throws IOException {
        try (SpillFolder folder = open(PLENTY)) {
            ExchangeTest.writeAll(folder.create("1").writer(new FixedLevel(Level.LZ4)), 1, 3, pool);
        }
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void filesOfKilledProcessesAreRemovedAndThoseOfLivingOnesAreKept() throws IOException {
        Path dead = Files.createDirectory(temporary.resolve("petrichor-spill-dead"));
        Files.write(dead.resolve("lock"), new byte[0]);
        Files.write(dead.resolve("1.blocks"), new byte[1000]);
        try (SpillFolder living = open(PLENTY)) {
            SpillFile file = living.create("1");
            ExchangeTest.writeAll(file.writer(new FixedLevel(Level.NONE)), 1, 3, pool);
            try (SpillFolder _ = open(PLENTY)) {
                assertThat(dead).doesNotExist();
                assertThat(ExchangeTest.readAll(file.reader(), 1, pool)).isEqualTo(3);
            }
        }
    }

    @Test
    void anUnfinishedFileIsDeleted() {
        try (SpillFolder folder = open(PLENTY)) {
            SpillFile file = folder.create("9");
            try (BlockWriter writer = file.writer(new FixedLevel(Level.NONE))) {
                writer.write(TestBlocks.fill(pool.take(), 9, 0));
            }
            assertThatThrownBy(file::reader).hasMessageContaining("not complete");
            assertThat(folder.bytesUsed()).isZero();
        }
    }

    @Test
    void allFilesTogetherAreBounded() {
        try (SpillFolder folder = open(300_000)) {
            BlockWriter writer = folder.create("1").writer(new FixedLevel(Level.NONE));
            assertThatThrownBy(
                            () -> {
                                while (true) {
                                    writer.write(TestBlocks.fill(pool.take(), 1, 0));
                                }
                            })
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED))
                    .hasMessageContaining("300000 bytes");
            writer.close();
            assertThat(folder.bytesUsed()).isZero();
        }
    }

    @Test
    void aCorruptFileIsNeverTakenForData() throws IOException {
        SplittableRandom random = new SplittableRandom(SEED);
        try (SpillFolder folder = open(PLENTY)) {
            SpillFile file = folder.create("5");
            ExchangeTest.writeAll(file.writer(PipelineModel.forFile()), 5, 6, pool);
            Path path = file.path();
            byte[] whole = Files.readAllBytes(path);
            for (int round = 0; round < 100; round++) {
                boolean cut = round % 4 == 0;
                int at = random.nextInt(whole.length);
                byte[] damaged = cut ? Arrays.copyOf(whole, at) : whole.clone();
                if (!cut) {
                    damaged[at] ^= (byte) (1 << random.nextInt(8));
                }
                Files.write(path, damaged);
                assertThatThrownBy(() -> ExchangeTest.readAll(file.reader(), 5, pool))
                        .describedAs("seed %d, %s at %d", SEED, cut ? "cut" : "bit", at)
                        .isInstanceOf(PetrichorException.class)
                        .hasMessageContaining("channel 5");
            }
            Files.write(path, whole);
            assertThat(ExchangeTest.readAll(file.reader(), 5, pool)).isEqualTo(6);
        }
    }

    /** Frames that are valid by themselves, but never written to a file. */
    @Test
    void aFileWithTheWrongFramesIsRefused() throws IOException {
        byte[] content = new byte[Block.HEADROOM + 10];
        BlockHeader.of(Level.NONE, 10, 10, 1, 30)
                .write(content, Frame.HEADER_BYTES, content, Block.HEADROOM);
        new Frame(Frame.Type.BLOCK, content.length - Frame.HEADER_BYTES, 0).write(content, 0);
        byte[] part = content.clone();
        BlockHeader.of(Level.NONE, 10, 10, 1, 10)
                .write(content, Frame.HEADER_BYTES, content, Block.HEADROOM);
        byte[] block = content.clone();
        new Frame(Frame.Type.BLOCK, content.length - Frame.HEADER_BYTES, 5).write(content, 0);
        byte[] ofAnotherChannel = content;
        byte[] shorter = block.clone();
        new Frame(Frame.Type.BLOCK, block.length - Frame.HEADER_BYTES - 1, 0).write(shorter, 0);
        try (SpillFolder folder = open(PLENTY)) {
            SpillFile file = folder.written("5");
            assertRefused(file, "1 blocks instead of 2", block, Frame.end(0, 2));
            assertRefused(file, "ended within a block", part, Frame.end(0, 1));
            assertRefused(file, "a frame belongs to channel 5", ofAnotherChannel, Frame.end(0, 1));
            assertRefused(file, "two lengths", shorter, Frame.end(0, 1));
            assertRefused(file, "a message PING", Frame.of(Frame.Type.PING, 0, new byte[0]));
            assertRefused(file, "ends too early", block);
        }
    }

    private static void assertRefused(SpillFile file, String why, byte[]... frames)
            throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] frame : frames) {
            all.write(frame);
        }
        Files.write(file.path(), all.toByteArray());
        assertThatThrownBy(() -> readToTheEnd(file))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining(why);
    }

    /** A resumed job may have files of an earlier version, which wrote this one. */
    @Test
    void aFileOfTheFormerFormatCanBeRead() throws IOException {
        byte[] former;
        try (InputStream in = getClass().getResourceAsStream("former.blocks")) {
            former = Objects.requireNonNull(in).readAllBytes();
        }
        int[] lengths = {200, 300_000, 4_000};
        try (SpillFolder folder = open(PLENTY)) {
            SpillFile file = folder.written("3-0-1");
            Files.write(file.path(), former);
            try (SpillReader reader = file.reader()) {
                for (int i = 0; i < lengths.length; i++) {
                    byte[] expected = new byte[lengths[i]];
                    for (int at = 0; at < expected.length; at++) {
                        expected[at] = (byte) (i * 7 + at / 1000);
                    }
                    Block block = Objects.requireNonNull(reader.next());
                    assertThat(block.records).isEqualTo(i + 1);
                    assertThat(TestBlocks.bytes(block)).isEqualTo(expected);
                }
                assertThat(reader.next()).isNull();
            }
            SplittableRandom random = new SplittableRandom(SEED);
            for (int round = 0; round < 100; round++) {
                byte[] damaged = former.clone();
                int at = random.nextInt(former.length);
                damaged[at] ^= (byte) (1 << random.nextInt(8));
                Files.write(file.path(), damaged);
                assertThatThrownBy(() -> readToTheEnd(file))
                        .describedAs("seed %d, bit at %d", SEED, at)
                        .isInstanceOf(PetrichorException.class);
            }
        }
    }

    private static void readToTheEnd(SpillFile file) {
        try (SpillReader reader = file.reader()) {
            while (reader.next() != null) {}
        }
    }

    @Test
    void aFullDiskIsReported() throws Exception {
        Path disk = Files.createDirectory(temporary.resolve("disk"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=2m", "none", disk.toString()),
                "NOT TESTED: a full disk. Mounting a small one needs root");
        try {
            try (SpillFolder folder = SpillFolder.open(disk, PLENTY, pool, TimeSource.SYSTEM)) {
                BlockWriter writer = folder.create("1").writer(new FixedLevel(Level.NONE));
                assertThatThrownBy(
                                () -> {
                                    while (true) {
                                        writer.write(TestBlocks.fill(pool.take(), 1, 0));
                                    }
                                })
                        .isInstanceOfSatisfying(
                                PetrichorException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED))
                        .hasMessageContaining("No space left");
                writer.close();
                // The space is free again.
                SpillFile next = folder.create("2");
                ExchangeTest.writeAll(next.writer(new FixedLevel(Level.LZ4)), 2, 5, pool);
                assertThat(ExchangeTest.readAll(next.reader(), 2, pool)).isEqualTo(5);
            }
        } finally {
            assertThat(run("umount", disk.toString())).isTrue();
        }
    }

    private static boolean run(String... command) throws Exception {
        return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    }

    private SpillFolder open(long bytesMax) {
        return SpillFolder.open(temporary, bytesMax, pool, TimeSource.SYSTEM);
    }
}
