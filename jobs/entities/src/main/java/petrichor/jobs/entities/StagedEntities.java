package petrichor.jobs.entities;

import com.google.datastore.v1.Entity;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.movement.EntitySource;

/** Iterates over the entities that the subtasks of a sink have staged. Belongs to one thread. */
final class StagedEntities implements EntitySource {
    private static final long BYTES_UNKNOWN = -1;

    private final Path folder;
    private final int files;
    private @Nullable InputStream in;
    private int opened;
    private long number;
    private long bytes;

    StagedEntities(Path folder, int files) {
        this.folder = folder;
        this.files = files;
    }

    @Override
    public @Nullable Entry next() {
        try {
            while (true) {
                var entity = in == null ? null : Entity.parseDelimitedFrom(in);
                if (entity != null) {
                    number++;
                    bytes += entity.getSerializedSize();
                    var place = new Place("record", number);
                    return new Good(place, entity, entity.getSerializedSize());
                }
                if (opened == files) {
                    return null;
                }
                openNext();
            }
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read the output of tasks in " + folder, unreadable);
        }
    }

    private void openNext() throws IOException {
        close();
        in = new BufferedInputStream(Files.newInputStream(folder.resolve("part-" + opened)));
        opened++;
    }

    @Override
    public long bytesTotal() {
        return BYTES_UNKNOWN;
    }

    @Override
    public long bytesRead() {
        return bytes;
    }

    @Override
    public void close() {
        try {
            if (in != null) {
                in.close();
            }
        } catch (IOException unclosed) {
            throw FileProblem.of("cannot close the output of tasks in " + folder, unclosed);
        }
    }
}
