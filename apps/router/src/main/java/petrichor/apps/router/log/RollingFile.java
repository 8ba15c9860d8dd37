package petrichor.apps.router.log;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * A file that is replaced when it is full: {@code NAME} becomes {@code NAME.1}, {@code NAME.1}
 * becomes {@code NAME.2}, and the oldest one is deleted. Confined to one thread.
 */
public final class RollingFile implements RequestLog.Target {
    private final Path file;
    private final long bytesMax;
    private final int filesMax;
    private @Nullable OutputStream out;
    private long bytes;

    /**
     * @param bytesMax of one file
     * @param filesMax including the current one
     */
    public RollingFile(Path file, long bytesMax, int filesMax) {
        if (bytesMax <= 0 || filesMax <= 0) {
            throw PetrichorException.invalid("a log needs at least one file of at least one byte");
        }
        this.file = file;
        this.bytesMax = bytesMax;
        this.filesMax = filesMax;
    }

    @Override
    public void write(byte[] lines) {
        try {
            if (out != null && bytes + lines.length > bytesMax) {
                roll();
            }
            OutputStream current = out == null ? open() : out;
            current.write(lines);
            bytes += lines.length;
        } catch (IOException failed) {
            close();
            throw new UncheckedIOException(failed);
        }
    }

    private OutputStream open() throws IOException {
        OutputStream opened =
                Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        out = opened;
        bytes = Files.size(file);
        return opened;
    }

    private void roll() throws IOException {
        close();
        Files.deleteIfExists(numbered(filesMax - 1));
        for (int i = filesMax - 1; i >= 1; i--) {
            Path newer = numbered(i - 1);
            if (Files.exists(newer)) {
                Files.move(newer, numbered(i), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private Path numbered(int number) {
        return number == 0 ? file : file.resolveSibling(file.getFileName() + "." + number);
    }

    @Override
    public void close() {
        if (out != null) {
            try {
                out.close();
            } catch (IOException lost) {
                // its lines are lost; the next file may be written
            }
            out = null;
        }
    }
}
