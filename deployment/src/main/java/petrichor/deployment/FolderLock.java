package petrichor.deployment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Excludes other commands from a cluster's folder, until it is closed or this process ends. */
record FolderLock(FileChannel channel) implements AutoCloseable {
    static FolderLock of(Path folder) {
        Path file = folder.resolve(ClusterFile.NAME);
        @Nullable FileChannel channel = null;
        try {
            channel = FileChannel.open(file, StandardOpenOption.WRITE);
            if (channel.tryLock() != null) {
                return new FolderLock(channel);
            }
        } catch (NoSuchFileException wiped) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "there is no longer a store in {folder}",
                    "folder",
                    folder);
        } catch (OverlappingFileLockException inThisProcess) {
            // As if another process held it.
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        close(channel);
        throw PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "another command is using {folder}; wait for it to end",
                "folder",
                folder);
    }

    @Override
    public void close() {
        close(channel);
    }

    private static void close(@Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
