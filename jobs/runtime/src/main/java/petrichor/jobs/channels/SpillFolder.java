package petrichor.jobs.channels;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * Where file channels, and whoever else must put bytes aside, keep their files: a folder of its own
 * under the one that is named, gone when this is closed. What a killed process left there is
 * removed by the next one that opens a folder beside it: a lock tells the living from the dead. All
 * files together are bounded. Safe for any thread.
 */
public final class SpillFolder implements AutoCloseable {
    private static final String PREFIX = "petrichor-spill-";

    /**
     * To close a file that this process has locked would free the lock: it leaves its own alone.
     */
    private static final String OWN_PREFIX = PREFIX + ProcessHandle.current().pid() + "-";

    private static final String LOCK = "lock";
    private static final String SUFFIX = ".blocks";

    private final Path folder;
    private final @Nullable FileChannel lockFile;
    private final long bytesMax;
    private final BlockPool pool;
    private final TimeSource time;
    private final AtomicLong bytesUsed = new AtomicLong();
    private final AtomicLong files = new AtomicLong();

    private SpillFolder(
            Path folder,
            @Nullable FileChannel lockFile,
            long bytesMax,
            BlockPool pool,
            TimeSource time) {
        this.folder = folder;
        this.lockFile = lockFile;
        this.bytesMax = bytesMax;
        this.pool = pool;
        this.time = time;
    }

    /**
     * @param parent is made if it is not there
     * @param bytesMax what all files together may hold
     */
    public static SpillFolder open(Path parent, long bytesMax, BlockPool pool, TimeSource time) {
        try {
            Files.createDirectories(parent);
            removeLeftovers(parent);
            Path folder = Files.createTempDirectory(parent, OWN_PREFIX);
            FileChannel lockFile = locked(folder);
            return new SpillFolder(folder, lockFile, bytesMax, pool, time);
        } catch (IOException e) {
            throw FileProblem.of("cannot create files in " + parent, e);
        }
    }

    /** The file gets its name when it is locked: nobody ever sees it with nobody holding it. */
    private static FileChannel locked(Path folder) throws IOException {
        Path unnamed = folder.resolve(LOCK + ".new");
        FileChannel lockFile =
                FileChannel.open(unnamed, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        lockFile.lock();
        Files.move(unnamed, folder.resolve(LOCK), StandardCopyOption.ATOMIC_MOVE);
        return lockFile;
    }

    /**
     * Works in a folder that another process has opened and will remove: closing this removes
     * nothing.
     *
     * @param bytesMax what the files of this process may hold
     */
    public static SpillFolder join(Path folder, long bytesMax, BlockPool pool, TimeSource time) {
        return new SpillFolder(folder, null, bytesMax, pool, time);
    }

    private static void removeLeftovers(Path parent) throws IOException {
        try (DirectoryStream<Path> beside = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path other : beside) {
                boolean own = other.getFileName().toString().startsWith(OWN_PREFIX);
                if (!own && abandoned(other)) {
                    remove(other);
                }
            }
        }
    }

    /** A folder without a lock file is one that is being made, or removed, right now. */
    private static boolean abandoned(Path folder) throws IOException {
        Path lock = folder.resolve(LOCK);
        if (!Files.exists(lock)) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE);
                FileLock held = channel.tryLock()) {
            return held != null;
        }
    }

    private static void remove(Path folder) throws IOException {
        try (DirectoryStream<Path> inside = Files.newDirectoryStream(folder)) {
            for (Path file : inside) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(folder);
    }

    /** A new channel through a file. */
    public SpillFile create(String name) {
        return new SpillFile(this, folder.resolve(files.incrementAndGet() + SUFFIX), name);
    }

    /**
     * A channel through the file of this name, by which other processes find it with {@link
     * #written}. What an earlier attempt has left in it is replaced.
     */
    public SpillFile named(String name) {
        return new SpillFile(this, folder.resolve(name + SUFFIX), name);
    }

    /** A channel that some process of the job has written to its end. */
    public SpillFile written(String name) {
        SpillFile file = named(name);
        file.completed();
        return file;
    }

    public Path path() {
        return folder;
    }

    /** Bytes in all files. */
    public long bytesUsed() {
        return bytesUsed.get();
    }

    BlockPool pool() {
        return pool;
    }

    TimeSource time() {
        return time;
    }

    /** Takes room for bytes that are about to be written. */
    void reserve(long bytes) {
        if (bytesUsed.addAndGet(bytes) > bytesMax) {
            bytesUsed.addAndGet(-bytes);
            throw new PetrichorException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the files in "
                            + folder.getParent()
                            + " have reached their limit of "
                            + bytesMax
                            + " bytes; raise it, or give the job more memory",
                    Map.of("folder", folder.toString(), "limit", bytesMax));
        }
    }

    void giveBack(long bytes) {
        bytesUsed.addAndGet(-bytes);
    }

    /** Removes everything. Channels that still use files of this folder fail. */
    @Override
    public void close() {
        if (lockFile == null) {
            return;
        }
        try {
            remove(folder);
            lockFile.close();
        } catch (IOException e) {
            throw FileProblem.of("cannot remove " + folder, e);
        }
    }
}
