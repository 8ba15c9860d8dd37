package petrichor.jobs.channels;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * Holds the files of file channels and of other spilled data: a subfolder of the given one, deleted
 * on close. What a killed process left there is removed by the next process that opens a folder
 * beside it: a file lock shows which processes are alive. The total size of the files is limited.
 * Safe for any thread.
 */
public final class SpillFolder implements AutoCloseable {
    private static final String PREFIX = "petrichor-spill-";

    /**
     * The scan for abandoned folders skips this process's own: closing a file that this process has
     * locked would release the lock.
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
     * @param parent created if it does not exist
     * @param bytesMax limit of all files together
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

    /** The file is locked before it gets its name: no other process ever sees it unlocked. */
    private static FileChannel locked(Path folder) throws IOException {
        Path unnamed = folder.resolve(LOCK + ".new");
        FileChannel lockFile =
                FileChannel.open(unnamed, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        lockFile.lock();
        Files.move(unnamed, folder.resolve(LOCK), StandardCopyOption.ATOMIC_MOVE);
        return lockFile;
    }

    /**
     * Uses a folder that another process has opened and will remove: closing this removes nothing.
     *
     * @param bytesMax limit of the files of this process
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

    /** A folder without a lock file is being created or removed at this moment. */
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

    /** Creates a channel through a file. */
    public SpillFile create(String name) {
        return new SpillFile(this, folder.resolve(files.incrementAndGet() + SUFFIX), name);
    }

    /**
     * Creates a channel through the file of this name, by which other processes find it with {@link
     * #written}. Replaces what an earlier attempt has left in it.
     */
    public SpillFile named(String name) {
        return new SpillFile(this, folder.resolve(name + SUFFIX), name);
    }

    /** Opens a channel that some process of the job has written completely. */
    public SpillFile written(String name) {
        SpillFile file = named(name);
        file.completed();
        return file;
    }

    public Path path() {
        return folder;
    }

    /** Total size of all files. */
    public long bytesUsed() {
        return bytesUsed.get();
    }

    BlockPool pool() {
        return pool;
    }

    TimeSource time() {
        return time;
    }

    /** Reserves disk space for bytes that are about to be written. */
    void reserve(long bytes) {
        if (bytesUsed.addAndGet(bytes) > bytesMax) {
            bytesUsed.addAndGet(-bytes);
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the files in {parent} have reached their limit of {limit} bytes; raise it, or"
                            + " give the job more memory",
                    "folder",
                    folder.toString(),
                    "limit",
                    bytesMax,
                    "parent",
                    folder.getParent());
        }
    }

    void giveBack(long bytes) {
        bytesUsed.addAndGet(-bytes);
    }

    /** Deletes everything. Channels that still use files of this folder fail. */
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
