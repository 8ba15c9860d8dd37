package petrichor.jobs.channels;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
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
    private static final String LOCK = "lock";

    private final Path folder;
    private final FileChannel lockFile;
    private final long bytesMax;
    private final BlockPool pool;
    private final TimeSource time;
    private final AtomicLong bytesUsed = new AtomicLong();
    private final AtomicLong files = new AtomicLong();

    private SpillFolder(
            Path folder, FileChannel lockFile, long bytesMax, BlockPool pool, TimeSource time) {
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
            Path folder = Files.createTempDirectory(parent, PREFIX);
            FileChannel lockFile =
                    FileChannel.open(
                            folder.resolve(LOCK),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
            lockFile.lock();
            return new SpillFolder(folder, lockFile, bytesMax, pool, time);
        } catch (IOException e) {
            throw FileProblem.of("cannot put files into " + parent, e);
        }
    }

    private static void removeLeftovers(Path parent) throws IOException {
        try (DirectoryStream<Path> beside = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path other : beside) {
                if (abandoned(other)) {
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
        } catch (OverlappingFileLockException e) {
            return false; // It is this very process that lives there.
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
        return new SpillFile(this, folder.resolve(files.incrementAndGet() + ".blocks"), name);
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
        try {
            remove(folder);
            lockFile.close();
        } catch (IOException e) {
            throw FileProblem.of("cannot remove " + folder, e);
        }
    }
}
