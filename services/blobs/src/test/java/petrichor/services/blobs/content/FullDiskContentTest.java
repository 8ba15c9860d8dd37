package petrichor.services.blobs.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** The disk is full: writers report it, contents stay readable, and deletions make space. */
class FullDiskContentTest {
    private static final int DISK_MIB = 4;
    private static final int BYTES = 1 << 20;

    @TempDir private Path temporary;

    @Test
    void aFullDiskEndsWritersAndKeepsContents() throws Exception {
        Path disk = Files.createDirectory(temporary.resolve("disk"));
        boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=" + DISK_MIB + "m", "none", disk);
        assumeTrue(mounted, "NOT TESTED: a full disk. Mounting a small one needs root");
        try (FolderContent content = FolderContent.open(disk.resolve("blobs"))) {
            int written = 0;
            PetrichorException full = write(content, written);
            while (full == null) {
                written++;
                full = write(content, written);
            }
            assertThat(full.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(full).hasMessageContaining("No space left");
            assertThat(written).isBetween(2, DISK_MIB);
            for (int i = 0; i < written; i++) {
                assertThat(read(content, i)).isEqualTo(BYTES);
            }
            content.delete(id(written));
            content.delete(id(0));
            assertThat(write(content, written + 1)).isNull();
        } finally {
            assertThat(run("umount", disk)).isTrue();
        }
    }

    private static ContentId id(int number) {
        return new ContentId("p", 1, number);
    }

    /** Returns the failure, or null. */
    private static @Nullable PetrichorException write(FolderContent content, int number) {
        return catchThrowableOfType(
                PetrichorException.class,
                () -> {
                    try (ContentWriter writer = content.append(id(number), 0)) {
                        writer.write(new byte[BYTES], 0, BYTES);
                        writer.finish();
                    }
                });
    }

    private static long read(FolderContent content, int number) {
        long bytes = 0;
        try (ContentReader reader = content.read(id(number), 0, BYTES)) {
            for (byte[] piece = reader.next(); piece != null; piece = reader.next()) {
                bytes += piece.length;
            }
        }
        return bytes;
    }

    private static boolean run(Object... command) throws IOException, InterruptedException {
        String[] words = new String[command.length];
        for (int at = 0; at < command.length; at++) {
            words[at] = command[at].toString();
        }
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        process.inputReader().readAllLines();
        return process.waitFor() == 0;
    }
}
