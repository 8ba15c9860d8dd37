package petrichor.frontends.access;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Appends lines to a file that only its owner may read, and rotates it by size: the current file
 * becomes {@code NAME.1}, {@code NAME.1} becomes {@code NAME.2}, and the oldest is deleted. Lines
 * are never split between files. Writes are not synced, except when a file is complete. Confined to
 * one thread.
 */
final class AuditFile implements AutoCloseable {
    private static final Set<StandardOpenOption> APPEND =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND);

    private final Path file;
    private final long bytesMax;
    private final int filesMax;
    private @Nullable FileChannel open;
    private long bytes;

    AuditFile(AuditSettings settings) {
        this.file = settings.file().toAbsolutePath();
        this.bytesMax = settings.fileBytesMax();
        this.filesMax = settings.filesMax();
    }

    /** Opens the file if it is not open, so that a start fails if the file cannot be written. */
    FileChannel channel() throws IOException {
        FileChannel channel = open;
        if (channel == null) {
            channel = FileChannel.open(file, APPEND, ownerOnly());
            bytes = channel.size();
            open = channel;
        }
        return channel;
    }

    private FileAttribute<?>[] ownerOnly() throws IOException {
        Path folder = file.getParent();
        boolean posix =
                folder != null && Files.getFileStore(folder).supportsFileAttributeView("posix");
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }

    /** Appends whole lines. After a failure, the next call reopens the file. */
    void append(List<String> lines) throws IOException {
        StringBuilder part = new StringBuilder();
        long partBytes = 0;
        try {
            channel();
            for (String line : lines) {
                int lineBytes = line.getBytes(StandardCharsets.UTF_8).length;
                if (bytes + partBytes + lineBytes > bytesMax && bytes + partBytes > 0) {
                    write(part);
                    part.setLength(0);
                    partBytes = 0;
                    rotate();
                }
                part.append(line);
                partBytes += lineBytes;
            }
            write(part);
        } catch (IOException failed) {
            close();
            throw failed;
        }
    }

    private void write(CharSequence text) throws IOException {
        ByteBuffer buffer = StandardCharsets.UTF_8.encode(text.toString());
        FileChannel channel = channel();
        while (buffer.hasRemaining()) {
            bytes += channel.write(buffer);
        }
    }

    private void rotate() throws IOException {
        channel().force(true);
        close();
        if (filesMax == 1) {
            Files.deleteIfExists(file);
        }
        for (int number = filesMax - 1; number >= 1; number--) {
            Path from = number == 1 ? file : numbered(number - 1);
            if (Files.exists(from)) {
                Files.move(from, numbered(number), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        channel();
    }

    private Path numbered(int number) {
        return file.resolveSibling(file.getFileName() + "." + number);
    }

    @Override
    public void close() {
        FileChannel channel = open;
        open = null;
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException lost) {
                // The next write reopens the file and reports the failure.
            }
        }
    }
}
