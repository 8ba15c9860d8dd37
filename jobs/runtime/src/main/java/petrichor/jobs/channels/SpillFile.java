package petrichor.jobs.channels;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.jobs.channels.compression.LevelModel;

/**
 * A channel through a file: written once, to the end; then read any number of times, also by
 * several readers concurrently. The file is a sequence of frames as on a wire ({@link Frame}); the
 * last one holds their number, so that a truncated file is not mistaken for a complete one.
 */
public final class SpillFile {
    private final SpillFolder folder;
    private final Path path;
    private final String name;
    private final AtomicLong bytes = new AtomicLong();
    private volatile boolean complete;

    SpillFile(SpillFolder folder, Path path, String name) {
        this.folder = folder;
        this.path = path;
        this.name = name;
    }

    public BlockWriter writer(LevelModel model) {
        return new SpillWriter(this, model, folder.pool(), folder.time());
    }

    /** To be called only after the writer has ended the stream. */
    public SpillReader reader() {
        if (!complete) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "channel {name} cannot be read: its file is not complete",
                    "name",
                    name);
        }
        return new SpillReader(this, folder.pool());
    }

    /** Size of the file. */
    public long bytes() {
        return bytes.get();
    }

    /** Deletes the file; later readers fail. */
    public void delete() {
        complete = false;
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw FileProblem.of("cannot remove " + path, e);
        } finally {
            folder.giveBack(bytes.getAndSet(0));
        }
    }

    Path path() {
        return path;
    }

    String name() {
        return name;
    }

    void grow(int by) {
        folder.reserve(by);
        bytes.addAndGet(by);
    }

    void completed() {
        complete = true;
    }
}
