package petrichor.apps.router.files;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds static files, and caches small ones. A name never leads out of its folder: not by dots, not
 * by separators of another system, not by a symbolic link. Hidden files are not served, except
 * below {@code .well-known}. Thread-safe; reads block virtual threads, a bounded number at a time.
 */
public final class StaticFiles {
    private static final int TAG_BYTES = 16;
    private static final String PUBLIC_HIDDEN_FOLDER = ".well-known";

    private final FileLimits limits;
    private final FileCache cache;
    private final Semaphore reads;
    private final Executor threads = task -> Thread.ofVirtual().name("static-file").start(task);

    public StaticFiles(FileLimits limits) {
        this.limits = limits;
        this.cache = new FileCache(limits.cacheBytesMax());
        this.reads = new Semaphore(limits.readsMax());
    }

    /** The file if the cache has it; does not block. */
    @Nullable StaticFile cached(Path root, String relative) {
        return cache.get(new FileCache.Key(root, relative));
    }

    /** Whether the folder has the file. Reads attributes of files, so it is short, but blocks. */
    public boolean exists(Path root, String relative) {
        return cached(root, relative) != null || resolve(root, relative).isPresent();
    }

    /** Bytes of files in memory. */
    public long cachedBytes() {
        return cache.bytes();
    }

    FileLimits limits() {
        return limits;
    }

    /** Runs a read on a virtual thread. */
    <T> CompletableFuture<T> read(Read<T> read) {
        CompletableFuture<T> result = new CompletableFuture<>();
        threads.execute(
                () -> {
                    reads.acquireUninterruptibly();
                    try {
                        result.complete(read.run());
                    } catch (IOException | RuntimeException failed) {
                        result.completeExceptionally(failed);
                    } finally {
                        reads.release();
                    }
                });
        return result;
    }

    /** A read from disk. */
    interface Read<T> {
        T run() throws IOException;
    }

    /** Reads the file; empty if the folder does not have it. */
    CompletableFuture<Optional<StaticFile>> load(Path root, String relative) {
        return read(
                () -> {
                    Optional<Path> path = resolve(root, relative);
                    if (path.isEmpty()) {
                        return Optional.empty();
                    }
                    StaticFile file = open(path.get());
                    cache.put(new FileCache.Key(root, relative), file);
                    return Optional.of(file);
                });
    }

    private static Optional<Path> resolve(Path root, String relative) {
        if (!isSafe(relative)) {
            return Optional.empty();
        }
        try {
            Path folder = root.toRealPath();
            Path file = folder.resolve(relative).toRealPath();
            boolean inside = file.startsWith(folder) && !file.equals(folder);
            return inside && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                    ? Optional.of(file)
                    : Optional.empty();
        } catch (FileSystemException | InvalidPathException absent) {
            return Optional.empty();
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    private static boolean isSafe(String relative) {
        for (int i = 0; i < relative.length(); i++) {
            char c = relative.charAt(i);
            if (c < ' ' || c == '\\' || c == 0x7f) {
                return false;
            }
        }
        String[] segments = relative.split("/", -1);
        for (int i = 0; i < segments.length; i++) {
            boolean hidden = segments[i].startsWith(".");
            if (segments[i].isEmpty()
                    || (hidden && !(i == 0 && segments[i].equals(PUBLIC_HIDDEN_FOLDER)))) {
                return false;
            }
        }
        return true;
    }

    private StaticFile open(Path path) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
        String contentType = ContentTypes.of(String.valueOf(path.getFileName()));
        var modified = attributes.lastModifiedTime().toInstant();
        if (attributes.size() > limits.cachedFileBytesMax()) {
            String tag =
                    Long.toHexString(attributes.size())
                            + "-"
                            + Long.toHexString(modified.toEpochMilli());
            return new StaticFile(
                    path,
                    new StaticFile.Facts(
                            attributes.size(),
                            modified.truncatedTo(ChronoUnit.SECONDS),
                            tag,
                            contentType),
                    null);
        }
        byte[] plain = Files.readAllBytes(path);
        byte[] gzipped = ContentTypes.isCompressible(contentType) ? gzip(plain) : null;
        return new StaticFile(
                path,
                new StaticFile.Facts(
                        plain.length,
                        modified.truncatedTo(ChronoUnit.SECONDS),
                        hash(plain),
                        contentType),
                new StaticFile.Contents(plain, gzipped));
    }

    /** Null if it saves less than a tenth. */
    private static byte @Nullable [] gzip(byte[] plain) throws IOException {
        ByteArrayOutputStream gzipped = new ByteArrayOutputStream(plain.length / 2);
        try (GZIPOutputStream out = new GZIPOutputStream(gzipped)) {
            out.write(plain);
        }
        return gzipped.size() < plain.length - plain.length / 10 ? gzipped.toByteArray() : null;
    }

    private static String hash(byte[] content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
            return HexFormat.of().formatHex(Arrays.copyOf(digest, TAG_BYTES));
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every JDK has SHA-256", missing);
        }
    }
}
