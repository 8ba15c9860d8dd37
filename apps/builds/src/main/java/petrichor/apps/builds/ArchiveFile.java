package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import petrichor.base.PetrichorException;

/** Reads ZIP and tar.gz archives that anyone may have written. Stateless. */
final class ArchiveFile {
    /** Small archives of repetitive text compress well; a bomb is large. */
    private static final long RATIO_UNCHECKED_BYTES = 16L << 20;

    /** Of an archive's directory, per permitted file. */
    private static final long DIRECTORY_BYTES_PER_FILE = 512;

    /** Of a directory in any case: the search for its end alone reads 256 KiB. */
    private static final long DIRECTORY_BYTES_MIN = 1L << 20;

    /** Of what precedes a file in a tar archive: long names, extended attributes. */
    private static final long TAR_HEADER_BYTES_MAX = 1L << 18;

    /** An entry's declared type, without the permissions. */
    private static final int TYPE_MASK = 0170000;

    private static final int TYPE_FILE = 0100000;
    private static final int TYPE_FOLDER = 0040000;
    private static final int TYPE_LINK = 0120000;
    private static final int OWNER_EXECUTE = 0100;

    private ArchiveFile() {}

    static void readZip(Path archive, SourceTree tree, SourceLimits limits) throws IOException {
        SourcePath.Distinct names = new SourcePath.Distinct();
        var channel =
                new BoundedChannel(
                        Files.newByteChannel(archive),
                        DIRECTORY_BYTES_MIN + DIRECTORY_BYTES_PER_FILE * limits.files());
        long bytesMax = bytesMax(archive, limits);
        try (channel;
                ZipFile zip =
                        ZipFile.builder()
                                .setSeekableByteChannel(channel)
                                .setCharset(UTF_8)
                                .setIgnoreLocalFileHeader(true)
                                .get()) {
            channel.unbounded();
            for (Enumeration<ZipArchiveEntry> entries = zip.getEntriesInPhysicalOrder();
                    entries.hasMoreElements(); ) {
                ZipArchiveEntry entry = entries.nextElement();
                String path = SourcePath.of(entry.getName(), limits);
                int type = entry.getUnixMode() & TYPE_MASK;
                if (path.isEmpty() || (entry.isDirectory() && (type == 0 || type == TYPE_FOLDER))) {
                    continue;
                }
                if ((type != 0 && type != TYPE_FILE && type != TYPE_LINK) || entry.isDirectory()) {
                    throw special(path);
                }
                names.add(path);
                addZipEntry(zip, entry, path, tree, bytesMax);
            }
        }
    }

    private static void addZipEntry(
            ZipFile zip, ZipArchiveEntry entry, String path, SourceTree tree, long bytesMax)
            throws IOException {
        if (!zip.canReadEntryData(entry)) {
            throw PetrichorException.invalid(
                    "\"{path}\" in the archive is encrypted or compressed by an unknown method:"
                            + " create the archive with the deflate method",
                    "path",
                    path);
        }
        CRC32 crc = new CRC32();
        try (InputStream content =
                new CheckedInputStream(
                        new Bounded(zip.getInputStream(entry), bytesMax - tree.bytes()), crc)) {
            if (entry.isUnixSymlink()) {
                tree.link(path, linkTarget(content));
                return;
            }
            tree.file(path, (entry.getUnixMode() & OWNER_EXECUTE) != 0, content);
        }
        if (!tree.ignored().ignoresFile(path) && crc.getValue() != entry.getCrc()) {
            throw PetrichorException.invalid(
                    "\"{path}\" in the archive has a wrong checksum: create the archive again",
                    "path",
                    path);
        }
    }

    private static String linkTarget(InputStream content) throws IOException {
        return new String(content.readNBytes(1 << 13), UTF_8);
    }

    static void readTarGz(Path archive, SourceTree tree, SourceLimits limits) throws IOException {
        SourcePath.Distinct names = new SourcePath.Distinct();
        try (InputStream file = new BufferedInputStream(Files.newInputStream(archive));
                InputStream inflated = new GzipCompressorInputStream(file, true);
                Bounded bounded = new Bounded(inflated, bytesMax(archive, limits));
                TarArchiveInputStream tar = new TarArchiveInputStream(bounded, UTF_8.name())) {
            bounded.nextBytesMax(TAR_HEADER_BYTES_MAX);
            for (TarArchiveEntry entry = tar.getNextEntry();
                    entry != null;
                    entry = tar.getNextEntry()) {
                bounded.nextBytesMax(Long.MAX_VALUE);
                addTarEntry(tar, entry, names, tree, limits);
                // An ignored file's content, which would otherwise count as the next header.
                long _ = tar.transferTo(OutputStream.nullOutputStream());
                bounded.nextBytesMax(TAR_HEADER_BYTES_MAX);
            }
        }
    }

    private static void addTarEntry(
            TarArchiveInputStream tar,
            TarArchiveEntry entry,
            SourcePath.Distinct names,
            SourceTree tree,
            SourceLimits limits)
            throws IOException {
        String path = SourcePath.of(entry.getName(), limits);
        if (entry.isDirectory() || path.isEmpty()) {
            return;
        }
        if (entry.isSymbolicLink()) {
            names.add(path);
            tree.link(path, entry.getLinkName());
        } else if (isRegular(entry)) {
            names.add(path);
            tree.file(path, (entry.getMode() & OWNER_EXECUTE) != 0, tar);
        } else {
            throw special(path);
        }
    }

    /** The library's own isFile is true of devices. */
    private static boolean isRegular(TarArchiveEntry entry) {
        byte type = entry.getLinkFlag();
        return (type == TarConstants.LF_NORMAL || type == TarConstants.LF_OLDNORM)
                && !entry.isSparse();
    }

    private static long bytesMax(Path archive, SourceLimits limits) throws IOException {
        return Math.max(RATIO_UNCHECKED_BYTES, Files.size(archive) * limits.compressionRatio());
    }

    private static PetrichorException special(String path) {
        return PetrichorException.invalid(
                "\"{path}\" in the archive is a device, a hard link, a pipe or a sparse file: use"
                        + " regular files",
                "path",
                path);
    }

    /** Limits the bytes that a stream yields, in total and until further notice. */
    private static final class Bounded extends FilterInputStream {
        private long bytesLeft;
        private long nextBytesLeft = Long.MAX_VALUE;

        Bounded(InputStream in, long bytesMax) {
            super(in);
            this.bytesLeft = bytesMax;
        }

        void nextBytesMax(long bytesMax) {
            nextBytesLeft = bytesMax;
        }

        @Override
        public int read() throws IOException {
            int read = in.read();
            count(read < 0 ? 0 : 1);
            return read;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int read = in.read(buffer, offset, length);
            count(Math.max(0, read));
            return read;
        }

        @Override
        public long skip(long count) throws IOException {
            long skipped = in.skip(count);
            count(skipped);
            return skipped;
        }

        private void count(long bytes) {
            bytesLeft -= bytes;
            nextBytesLeft -= bytes;
            if (nextBytesLeft < 0) {
                throw PetrichorException.invalid(
                        "an entry's header in the archive has more than {bytesMax} bytes: create"
                                + " the archive without extended attributes",
                        "bytesMax",
                        TAR_HEADER_BYTES_MAX);
            }
            if (bytesLeft < 0) {
                throw PetrichorException.invalid(
                        "the archive's files are compressed more than the permitted ratio: deploy"
                                + " the folder instead");
            }
        }
    }
}
