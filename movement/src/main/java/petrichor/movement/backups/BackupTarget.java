package petrichor.movement.backups;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/**
 * Where backups are stored: named files, whose names have the form {@code folder/folder/file}.
 * Thread-safe. Failures are {@link petrichor.base.PetrichorException}s.
 */
public interface BackupTarget {
    /** The names below a folder, in order; "" lists everything. */
    List<String> list(String folder);

    /** NOT_FOUND if it does not exist. */
    InputStream read(String name);

    /**
     * Writes a file, which appears under its name, complete and durable, when the stream is closed
     * after {@link Upload#complete}; otherwise it never appears. Replaces an existing file.
     */
    Upload write(String name);

    /** Does nothing if it does not exist. */
    void delete(String name);

    /** For messages. */
    @Override
    String toString();

    /** A file being written. Confined to one thread. */
    interface Upload extends AutoCloseable {
        OutputStream stream();

        void complete();

        /** Discards the file unless it is complete. */
        @Override
        void close();
    }
}
