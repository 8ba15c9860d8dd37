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
 * A channel through a file: written once, to the end; then read, as often as wanted, also by
 * several readers at a time. The file is a row of frames as on a wire ({@link Frame}); the last one
 * tells how many there are, so that a file which was cut off is not taken for a whole one.
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

    /** Only after the writer has ended the stream. */
    public SpillReader reader() {
        if (!complete) {
            throw new PetrichorException(
                    ErrorCode.FAILED_PRECONDITION,
                    "channel " + name + " cannot be read: its file is not complete");
        }
        return new SpillReader(this, folder.pool());
    }

    /** Bytes in the file. */
    public long bytes() {
        return bytes.get();
    }

    /** Makes room: the file is gone, whoever wants to read it fails. */
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
