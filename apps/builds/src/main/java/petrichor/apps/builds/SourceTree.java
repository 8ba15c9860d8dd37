package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import petrichor.base.PetrichorException;

/**
 * Sources while they are read into a new folder: enforces limits on what is actually read, not on
 * what an archive declares, and computes the content hash. Symbolic links are created last, so that
 * no file can be written through one. Not thread-safe.
 */
final class SourceTree {
    private static final int COPY_BYTES = 1 << 16;
    private static final int EXECUTABLE = 0755;
    private static final int FILE = 0644;

    private enum Kind {
        FILE('f'),
        EXECUTABLE('x'),
        LINK('l');

        private final char code;

        Kind(char code) {
            this.code = code;
        }
    }

    private record Entry(Kind kind, byte[] digest) {}

    private final Path folder;
    private final SourceLimits limits;
    private final IgnorePatterns ignored;
    private final Map<String, Entry> entries = new TreeMap<>(SourceTree::compareBytes);
    private final Map<String, String> links = new TreeMap<>();
    private long bytes;

    /**
     * @param folder exists and is empty
     */
    SourceTree(Path folder, SourceLimits limits, IgnorePatterns ignored) {
        this.folder = folder;
        this.limits = limits;
        this.ignored = ignored;
    }

    IgnorePatterns ignored() {
        return ignored;
    }

    /** Adds a file unless it is ignored. */
    void file(String path, boolean executable, InputStream content) throws IOException {
        if (ignored.ignoresFile(path)) {
            return;
        }
        checkCount();
        Path target = prepare(path);
        MessageDigest digest = sha256();
        long fileBytes = 0;
        byte[] buffer = new byte[COPY_BYTES];
        try (OutputStream out = Files.newOutputStream(target)) {
            for (int read = content.read(buffer); read >= 0; read = content.read(buffer)) {
                fileBytes += read;
                bytes += read;
                checkSize(path, fileBytes);
                digest.update(buffer, 0, read);
                out.write(buffer, 0, read);
            }
        }
        FileTrees.setMode(target, executable ? EXECUTABLE : FILE);
        entries.put(path, new Entry(executable ? Kind.EXECUTABLE : Kind.FILE, digest.digest()));
    }

    /** Adds a symbolic link unless it is ignored. */
    void link(String path, String target) throws IOException {
        if (ignored.ignoresFile(path)) {
            return;
        }
        checkCount();
        if (target.isEmpty()
                || target.startsWith("/")
                || target.getBytes(UTF_8).length > limits.pathBytes()) {
            throw linkOut(path);
        }
        Path link;
        try {
            link = prepare(path);
            if (!folder.relativize(link).resolveSibling(target).normalize().startsWith("..")) {
                links.put(path, target);
                entries.put(path, new Entry(Kind.LINK, sha256().digest(target.getBytes(UTF_8))));
                return;
            }
        } catch (InvalidPathException nul) {
            throw linkOut(path);
        }
        throw linkOut(path);
    }

    /** Creates the links, checks where they lead, and returns the content hash. */
    String finish() throws IOException {
        for (Map.Entry<String, String> link : links.entrySet()) {
            Files.createSymbolicLink(folder.resolve(link.getKey()), Path.of(link.getValue()));
        }
        Path root = folder.toRealPath();
        for (String path : links.keySet()) {
            // Links through other links may lead elsewhere than their text says.
            Path target;
            try {
                target = folder.resolve(path).toRealPath();
            } catch (IOException noTargetOrLoop) {
                throw PetrichorException.invalid(
                        "the symbolic link \"{path}\" in the sources has no target: remove it, or"
                                + " add its target",
                        "path",
                        path);
            }
            if (!target.startsWith(root)) {
                throw linkOut(path);
            }
        }
        if (entries.isEmpty()) {
            throw PetrichorException.invalid(
                    "the sources contain no files: check the folder and the ignore patterns");
        }
        return hash();
    }

    int files() {
        return entries.size();
    }

    long bytes() {
        return bytes;
    }

    private String hash() {
        MessageDigest all = sha256();
        for (Map.Entry<String, Entry> entry : entries.entrySet()) {
            byte[] path = entry.getKey().getBytes(UTF_8);
            all.update((byte) entry.getValue().kind().code);
            all.update(ByteBuffer.allocate(Integer.BYTES).putInt(path.length).flip());
            all.update(path);
            all.update(entry.getValue().digest());
        }
        return HexFormat.of().formatHex(all.digest());
    }

    private Path prepare(String path) throws IOException {
        Path target = folder.resolve(path);
        if (entries.containsKey(path)) {
            throw PetrichorException.invalid(
                    "the sources contain \"{path}\" twice: remove one", "path", path);
        }
        try {
            Files.createDirectories(target.getParent());
        } catch (FileAlreadyExistsException e) {
            throw PetrichorException.invalid(
                    "\"{path}\" in the sources is in a folder that is also a file: remove one",
                    "path",
                    path);
        }
        return target;
    }

    private void checkCount() {
        if (entries.size() >= limits.files()) {
            throw PetrichorException.invalid(
                    "the sources contain more than {filesMax} files: ignore files that the app does"
                            + " not need",
                    "filesMax",
                    limits.files());
        }
    }

    private void checkSize(String path, long fileBytes) {
        if (fileBytes > limits.bytesPerFile()) {
            throw PetrichorException.invalid(
                    "the file \"{path}\" has more than {bytesMax} bytes: ignore it, or store it as"
                            + " an object",
                    "path",
                    path,
                    "bytesMax",
                    limits.bytesPerFile());
        }
        if (bytes > limits.bytes()) {
            throw PetrichorException.invalid(
                    "the sources have more than {bytesMax} bytes in total: ignore files that the"
                            + " app does not need",
                    "bytesMax",
                    limits.bytes());
        }
    }

    private static PetrichorException linkOut(String path) {
        return PetrichorException.invalid(
                "the symbolic link \"{path}\" leads out of the sources: replace it by the file",
                "path",
                path);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    private static int compareBytes(String left, String right) {
        return Arrays.compareUnsigned(left.getBytes(UTF_8), right.getBytes(UTF_8));
    }
}
