package petrichor.apps.builds;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Operations on folder trees that untrusted code has written: none follows a symbolic link. No
 * process of that code may run meanwhile, except during {@link #extent}. Stateless.
 */
final class FileTrees {
    static final int OWNER_ONLY = 0700;
    static final int ENTER_ONLY = 0711;

    private static final int OWNER_WRITE = 0200;
    private static final int OWNER_EXECUTE = 0100;

    /** Sealed folders and executables: to be read by the server and the app's group. */
    private static final int SEALED_EXECUTABLE = 0550;

    private static final int SEALED_FILE = 0440;
    private static final int WRITABLE_EXECUTABLE = 0755;
    private static final int WRITABLE_FILE = 0644;
    private static final int ROOT = 0;

    private FileTrees() {}

    static int mode(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode", NOFOLLOW_LINKS);
    }

    static boolean isExecutable(Path file) throws IOException {
        return (mode(file) & OWNER_EXECUTE) != 0;
    }

    static void setMode(Path path, int mode) throws IOException {
        Files.setAttribute(path, "unix:mode", mode);
    }

    /** Creates the folder, or sets the mode and owner of the existing one. */
    static Path folder(Path folder, int mode, @Nullable BuildUser owner) throws IOException {
        Files.createDirectories(folder);
        if (owner != null) {
            setOwner(folder, owner.uid(), owner.gid());
        }
        setMode(folder, mode);
        return folder;
    }

    static void setOwner(Path path, int uid, int gid) throws IOException {
        Files.setAttribute(path, "unix:uid", uid, NOFOLLOW_LINKS);
        Files.setAttribute(path, "unix:gid", gid, NOFOLLOW_LINKS);
    }

    /** A writable copy that belongs to the owner; the target must not exist. */
    static void copy(Path from, Path to, @Nullable BuildUser owner) throws IOException {
        walk(
                from,
                new Copying(from, to, owner) {
                    @Override
                    void file(Path source, Path target) throws IOException {
                        Files.copy(source, target, NOFOLLOW_LINKS);
                        if (!Files.isSymbolicLink(target)) {
                            setMode(
                                    target,
                                    isExecutable(source) ? WRITABLE_EXECUTABLE : WRITABLE_FILE);
                        }
                        if (owner != null) {
                            setOwner(target, owner.uid(), owner.gid());
                        }
                    }
                });
    }

    /**
     * The same files under a second name: the owner can add, replace and remove files, but the
     * contents remain those of the sealed tree.
     */
    static void link(Path from, Path to, @Nullable BuildUser owner) throws IOException {
        walk(
                from,
                new Copying(from, to, owner) {
                    @Override
                    void file(Path source, Path target) throws IOException {
                        if (Files.isSymbolicLink(source)) {
                            Files.copy(source, target, NOFOLLOW_LINKS);
                        } else {
                            Files.createLink(target, source);
                        }
                    }
                });
    }

    /**
     * Makes the tree immutable: without write permission, and if it has an owner of its own, owned
     * by root and readable by the owner's group. Removes devices, sockets and named pipes. Files of
     * a third user (hard links to files elsewhere) remain as they are, and so unreadable for the
     * app.
     */
    static void seal(Path tree, @Nullable BuildUser owner) throws IOException {
        walk(
                tree,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        if (attributes.isOther()) {
                            Files.delete(file);
                        } else if (belongsTo(file, owner)) {
                            if (!attributes.isSymbolicLink()) {
                                setMode(file, isExecutable(file) ? SEALED_EXECUTABLE : SEALED_FILE);
                            }
                            give(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(
                            Path folder, @Nullable IOException failure) throws IOException {
                        if (failure != null) {
                            throw failure;
                        }
                        setMode(folder, SEALED_EXECUTABLE);
                        give(folder);
                        return FileVisitResult.CONTINUE;
                    }

                    private void give(Path path) throws IOException {
                        if (owner != null) {
                            setOwner(path, ROOT, owner.gid());
                        }
                    }
                });
    }

    private static boolean belongsTo(Path file, @Nullable BuildUser owner) throws IOException {
        return owner == null
                || (int) Files.getAttribute(file, "unix:uid", NOFOLLOW_LINKS) == owner.uid();
    }

    /**
     * Removes symbolic links without a target. INVALID_ARGUMENT if a link leads out of the tree: a
     * server of static files would follow it with the rights of the server.
     */
    static void confineLinks(Path tree) throws IOException {
        Path root = tree.toRealPath();
        walk(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        if (attributes.isSymbolicLink()) {
                            check(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    private void check(Path link) throws IOException {
                        Path target;
                        try {
                            target = link.toRealPath();
                        } catch (IOException noTargetOrLoop) {
                            Files.delete(link);
                            return;
                        }
                        if (!target.startsWith(root)) {
                            throw PetrichorException.invalid(
                                    "the build created \"{link}\", a symbolic link out of the"
                                            + " app's folder: copy the file instead",
                                    "link",
                                    root.relativize(link));
                        }
                    }
                });
    }

    /** Removes the tree, also if it is sealed; does nothing if it does not exist. */
    static void delete(Path tree) throws IOException {
        if (!Files.exists(tree, NOFOLLOW_LINKS)) {
            return;
        }
        walk(
                tree,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) throws IOException {
                        if ((mode(folder) & OWNER_WRITE) == 0) {
                            setMode(folder, OWNER_ONLY);
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.deleteIfExists(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(
                            Path folder, @Nullable IOException failure) throws IOException {
                        if (failure != null) {
                            throw failure;
                        }
                        Files.deleteIfExists(folder);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    /** Number and total size of a tree's files. */
    record Extent(long files, long bytes) {}

    /** Size of the files of which this tree has the only link, or all if {@code shared}. */
    static Extent extent(Path tree, boolean shared) throws IOException {
        var visitor =
                new SimpleFileVisitor<Path>() {
                    private long files;
                    private long bytes;

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        if (attributes.isRegularFile() && (shared || links(file) == 1)) {
                            bytes += attributes.size();
                        }
                        files++;
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException failure)
                            throws IOException {
                        if (failure instanceof NoSuchFileException) {
                            return FileVisitResult.CONTINUE;
                        }
                        throw failure;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(
                            Path folder, @Nullable IOException failure) {
                        return FileVisitResult.CONTINUE;
                    }
                };
        if (Files.isDirectory(tree, NOFOLLOW_LINKS)) {
            walk(tree, visitor);
        }
        return new Extent(visitor.files, visitor.bytes);
    }

    private static int links(Path file) throws IOException {
        try {
            return (int) Files.getAttribute(file, "unix:nlink", NOFOLLOW_LINKS);
        } catch (NoSuchFileException removedMeanwhile) {
            return 0;
        }
    }

    /** Forces a file's or folder's own data to disk. */
    static void sync(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    static void touch(Path file, long epochMicros) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(epochMicros, TimeUnit.MICROSECONDS));
    }

    private static void walk(Path tree, SimpleFileVisitor<Path> visitor) throws IOException {
        Path _ = Files.walkFileTree(tree, visitor);
    }

    /** Repeats a tree's folders elsewhere. */
    private abstract static class Copying extends SimpleFileVisitor<Path> {
        private final Path from;
        private final Path to;
        private final @Nullable BuildUser owner;

        Copying(Path from, Path to, @Nullable BuildUser owner) {
            this.from = from;
            this.to = to;
            this.owner = owner;
        }

        abstract void file(Path source, Path target) throws IOException;

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
                throws IOException {
            Path target = to.resolve(from.relativize(folder));
            Files.createDirectory(target);
            setMode(target, WRITABLE_EXECUTABLE);
            if (owner != null) {
                setOwner(target, owner.uid(), owner.gid());
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
            file(file, to.resolve(from.relativize(file)));
            return FileVisitResult.CONTINUE;
        }
    }
}
