package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;

/** Writes the files and links of sources as a tar.gz archive. Stateless. */
final class PackedSources {
    private static final int EXECUTABLE = 0755;
    private static final int FILE = 0644;

    private PackedSources() {}

    static void write(Path sources, Path archive) throws IOException {
        try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(archive));
                OutputStream compressed = new GzipCompressorOutputStream(file);
                TarArchiveOutputStream tar = new TarArchiveOutputStream(compressed, UTF_8.name())) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
            tar.setAddPaxHeadersForNonAsciiNames(true);
            Path _ =
                    Files.walkFileTree(
                            sources,
                            new SimpleFileVisitor<>() {
                                @Override
                                public FileVisitResult visitFile(
                                        Path path, BasicFileAttributes attributes)
                                        throws IOException {
                                    add(tar, sources.relativize(path).toString(), path, attributes);
                                    return FileVisitResult.CONTINUE;
                                }
                            });
        }
    }

    private static void add(
            TarArchiveOutputStream tar, String name, Path path, BasicFileAttributes attributes)
            throws IOException {
        if (attributes.isSymbolicLink()) {
            TarArchiveEntry link = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
            link.setLinkName(Files.readSymbolicLink(path).toString());
            tar.putArchiveEntry(link);
        } else {
            TarArchiveEntry file = new TarArchiveEntry(name);
            file.setSize(attributes.size());
            file.setMode(FileTrees.isExecutable(path) ? EXECUTABLE : FILE);
            tar.putArchiveEntry(file);
            try (var content = Files.newInputStream(path, NOFOLLOW_LINKS)) {
                long _ = content.transferTo(tar);
            }
        }
        tar.closeArchiveEntry();
    }
}
