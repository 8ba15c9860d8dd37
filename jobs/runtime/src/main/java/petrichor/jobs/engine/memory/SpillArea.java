package petrichor.jobs.engine.memory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * Disk space for a job's spilled data. A file is unlinked as soon as it is open, so that nothing is
 * left behind however the process ends; closing it frees its space. Safe for all threads.
 */
public final class SpillArea {
    private final Path folder;
    private final long bytesMax;
    private final AtomicLong used = new AtomicLong();
    private final AtomicLong written = new AtomicLong();

    public SpillArea(Path folder, long bytesMax) {
        this.folder = folder;
        this.bytesMax = bytesMax;
    }

    FileChannel open() {
        try {
            Files.createDirectories(folder);
            Path file = Files.createTempFile(folder, "petrichor-spill-", ".tmp");
            try {
                return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot open a spill file in " + folder, e);
        }
    }

    void grown(long bytes) {
        written.addAndGet(bytes);
        if (used.addAndGet(bytes) > bytesMax) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the job reached its limit of {bytesMax} bytes of spill files; give it more"
                            + " memory, or raise the limit (in a server: jobs.spill-bytes-max)",
                    "bytesMax",
                    bytesMax);
        }
    }

    void shrunk(long bytes) {
        used.addAndGet(-bytes);
    }

    /** Total bytes written. */
    public long written() {
        return written.get();
    }

    /** Bytes currently on disk. */
    long used() {
        return used.get();
    }

    PetrichorException broken(String why) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "a spill file in {folder} is damaged: {problem}; check the disk",
                "folder",
                folder,
                "problem",
                why);
    }

    PetrichorException failed(IOException e) {
        return FileProblem.of("cannot write or read a spill file in " + folder, e);
    }
}
