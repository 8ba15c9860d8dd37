package petrichor.apps.builds;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * The sources of all apps, each tree once, under its content hash. Reads folders, ZIP and tar.gz
 * archives and Git repositories. Archives are checked as if an attacker wrote them: paths out of
 * the folder, links out of the folder, special files, names that are one file on some systems, and
 * archives that expand to more than the limits are refused. Thread-safe.
 */
public final class SourceArchive {
    /** More than deflate can reach. */
    private static final int PACKED_RATIO = 2_000;

    private final TreeStore store;
    private final SourceLimits limits;
    private final GitClone git;

    SourceArchive(TreeStore store, SourceLimits limits, GitClone git) {
        this.store = store;
        this.limits = limits;
        this.git = git;
    }

    /** Writes sources into a tree. */
    private interface Reader {
        void read(SourceTree tree) throws IOException;
    }

    /** Copies a folder. Symbolic links are kept if they lead to a file in the folder. */
    public SourceResult folder(Path folder, IgnorePatterns ignored) {
        return store("the folder", folder, ignored, tree -> readFolder(folder, tree));
    }

    public SourceResult zip(Path archive, IgnorePatterns ignored) {
        return store(
                "the archive",
                archive,
                ignored,
                tree -> ArchiveFile.readZip(archive, tree, limits));
    }

    public SourceResult tarGz(Path archive, IgnorePatterns ignored) {
        return store(
                "the archive",
                archive,
                ignored,
                tree -> ArchiveFile.readTarGz(archive, tree, limits));
    }

    /** Writes sources as an archive for {@link #unpack}. */
    public void pack(Sources sources, Path archive) {
        try (CacheUses.Use _ = store.use(sources.hash())) {
            PackedSources.write(sources.folder(), archive);
        } catch (IOException e) {
            throw FileProblem.of("cannot write the archive of sources", e);
        }
    }

    /**
     * Reads what {@link #pack} wrote; however much it is compressed, it was small enough before.
     */
    public SourceResult unpack(Path archive) {
        SourceLimits own = limits.withCompressionRatio(PACKED_RATIO);
        return store(
                "the archive",
                archive,
                IgnorePatterns.NONE,
                tree -> ArchiveFile.readTarGz(archive, tree, own));
    }

    /**
     * Clones the newest commit of a repository, without submodules and large files of Git LFS.
     *
     * @param url https, ssh, file, or {@code user@host:path}; credentials in it are not logged
     * @param branch a branch or tag; null for the repository's default branch
     */
    public SourceResult git(
            String url, @Nullable String branch, IgnorePatterns ignored, Cancellation cancelled) {
        Path clone = store.temporary();
        try {
            git.fetch(url, branch, clone, limits, cancelled);
            return store(
                    "the repository",
                    clone.resolve(GitClone.WORK_TREE),
                    ignored,
                    tree -> readFolder(clone.resolve(GitClone.WORK_TREE), tree));
        } catch (PetrichorException e) {
            return refused(e);
        } catch (IOException e) {
            return new SourceResult.Refused(
                    "cannot clone the repository: " + FileProblem.reason(e));
        } finally {
            discard(clone);
        }
    }

    /** The sources of this hash, if the cache still has them; counts as a use. */
    public Optional<Sources> find(String hash) {
        try (CacheUses.Use _ = store.use(hash)) {
            return store.find(hash).map(tree -> sources(hash, tree));
        } catch (IOException e) {
            throw FileProblem.of("cannot read the cache of sources", e);
        }
    }

    /** Keeps sources from eviction while a build reads them. */
    CacheUses.Use use(Sources sources) {
        return store.use(sources.hash());
    }

    private static Sources sources(String hash, TreeStore.Tree tree) {
        return new Sources(
                tree.content(),
                hash,
                Integer.parseInt(tree.properties().getOrDefault("files", "0")),
                Long.parseLong(tree.properties().getOrDefault("bytes-all", "0")));
    }

    private SourceResult store(String what, Path from, IgnorePatterns ignored, Reader reader) {
        Path temporary = store.temporary();
        try {
            Path _ = Files.createDirectory(temporary);
            SourceTree tree = new SourceTree(temporary, limits, ignored);
            reader.read(tree);
            String hash = tree.finish();
            try (CacheUses.Use _ = store.use(hash)) {
                store.lock(hash).lock();
                try {
                    Optional<TreeStore.Tree> stored = store.find(hash);
                    if (stored.isEmpty()) {
                        FileTrees.seal(temporary, null);
                        stored = Optional.of(store.publish(hash, temporary, Map.of(), null));
                    }
                    return new SourceResult.Stored(sources(hash, stored.get()));
                } finally {
                    store.lock(hash).unlock();
                }
            }
        } catch (PetrichorException e) {
            return refused(e);
        } catch (IOException e) {
            return new SourceResult.Refused(
                    "cannot read %s %s: %s"
                            .formatted(what, from.getFileName(), FileProblem.reason(e)));
        } catch (IllegalArgumentException | ArithmeticException | IndexOutOfBoundsException e) {
            // The archive library's way to report some kinds of damage.
            return new SourceResult.Refused(
                    "%s %s is damaged: create it again".formatted(what, from.getFileName()));
        } finally {
            discard(temporary);
        }
    }

    private static SourceResult refused(PetrichorException failure) {
        if (failure.code() == ErrorCode.INTERNAL) {
            throw failure;
        }
        return new SourceResult.Refused(String.valueOf(failure.getMessage()));
    }

    private static void discard(Path temporary) {
        try {
            FileTrees.delete(temporary);
        } catch (IOException e) {
            throw FileProblem.of("cannot remove the temporary folder of sources", e);
        }
    }

    private void readFolder(Path folder, SourceTree tree) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw PetrichorException.invalid(
                    "{folder} is not a folder: give the folder of an app", "folder", folder);
        }
        Path root = folder.toRealPath();
        Path _ =
                Files.walkFileTree(
                        root,
                        new SimpleFileVisitor<>() {
                            @Override
                            public FileVisitResult preVisitDirectory(
                                    Path visited, BasicFileAttributes attributes) {
                                String path = root.relativize(visited).toString();
                                return !path.isEmpty() && tree.ignored().ignores(path, true)
                                        ? FileVisitResult.SKIP_SUBTREE
                                        : FileVisitResult.CONTINUE;
                            }

                            @Override
                            public FileVisitResult visitFile(
                                    Path file, BasicFileAttributes attributes) throws IOException {
                                add(root, file, attributes, tree);
                                return FileVisitResult.CONTINUE;
                            }
                        });
    }

    private void add(Path root, Path file, BasicFileAttributes attributes, SourceTree tree)
            throws IOException {
        String name = root.relativize(file).toString();
        if (tree.ignored().ignoresFile(name)) {
            return;
        }
        String path = SourcePath.of(name, limits);
        if (attributes.isSymbolicLink()) {
            tree.link(path, Files.readSymbolicLink(file).toString());
        } else if (attributes.isRegularFile()) {
            try (InputStream content = Files.newInputStream(file, NOFOLLOW_LINKS)) {
                tree.file(path, FileTrees.isExecutable(file), content);
            }
        } else {
            throw PetrichorException.invalid(
                    "\"{path}\" in the sources is a device, a socket or a pipe: remove or ignore"
                            + " it",
                    "path",
                    path);
        }
    }
}
