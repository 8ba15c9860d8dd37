package petrichor.cloud.leasing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * A log of leases in a folder: lines with checksums, each synced before it takes effect. A last
 * line that was truncated by a crash is ignored. Only one process at a time may have it open: two
 * lessees with the same owner would release each other's machines.
 */
public final class LeaseJournal implements LeaseLog {
    /** Retention of ended leases for cost reports. */
    static final Duration HISTORY = Duration.ofDays(30);

    private static final String FILE = "leases";
    private static final String FRESH = "leases.new";
    private static final String LOCK = "lock";

    private final Path file;
    private final FileChannel lockFile;
    private final FileChannel channel;
    private final List<LeaseLine> lines;

    private LeaseJournal(
            Path file, FileChannel lockFile, FileChannel channel, List<LeaseLine> lines) {
        this.file = file;
        this.lockFile = lockFile;
        this.channel = channel;
        this.lines = lines;
    }

    public static LeaseJournal open(Path folder, Instant now) {
        Path file = folder.resolve(FILE);
        FileChannel lock = null;
        try {
            Files.createDirectories(folder);
            lock =
                    FileChannel.open(
                            folder.resolve(LOCK),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
            if (locked(lock) == null) {
                lock.close();
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "the leases in {folder} belong to another process that is running",
                        "folder",
                        folder);
            }
            List<LeaseLine> lines = Files.exists(file) ? recent(read(file), now) : List.of();
            write(folder, lines);
            FileChannel channel = FileChannel.open(file, StandardOpenOption.APPEND);
            return new LeaseJournal(file, lock, channel, new ArrayList<>(lines));
        } catch (IOException e) {
            release(lock);
            throw FileProblem.of("cannot open the leases in " + folder, e);
        }
    }

    /** Reads the journal in a folder while another process has it open. */
    public static List<LeaseLine> peek(Path folder) {
        Path file = folder.resolve(FILE);
        try {
            return Files.exists(file) ? read(file) : List.of();
        } catch (IOException e) {
            throw FileProblem.of("cannot read the leases in " + folder, e);
        }
    }

    private static @Nullable FileLock locked(FileChannel lock) throws IOException {
        try {
            return lock.tryLock();
        } catch (OverlappingFileLockException ownProcess) {
            return null;
        }
    }

    private static void release(@Nullable FileChannel lock) {
        try {
            if (lock != null) {
                lock.close();
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot unlock the leases", e);
        }
    }

    private static List<LeaseLine> read(Path file) throws IOException {
        List<LeaseLine> lines = new ArrayList<>();
        // A truncated line may end within a character.
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        for (String line : text.split("\n", -1)) {
            LeaseLine.parse(line).ifPresent(lines::add);
        }
        return lines;
    }

    private static List<LeaseLine> recent(List<LeaseLine> lines, Instant now) {
        Map<String, LeaseLine> last = new HashMap<>();
        lines.forEach(line -> last.put(line.token(), line));
        Instant oldest = now.minus(HISTORY);
        List<LeaseLine> kept = new ArrayList<>();
        for (LeaseLine line : lines) {
            LeaseLine newest = last.get(line.token());
            if (newest != null
                    && (newest.state() != LeaseState.ENDED || newest.at().isAfter(oldest))) {
                kept.add(line);
            }
        }
        return kept;
    }

    /** Atomically replaces the journal by complete lines, without a truncated one. */
    private static void write(Path folder, List<LeaseLine> lines) throws IOException {
        Path fresh = folder.resolve(FRESH);
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line.text()).append('\n'));
        Files.writeString(fresh, text);
        try (FileChannel written = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
            written.force(true);
        }
        Files.move(fresh, folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
            names.force(true);
        }
    }

    @Override
    public List<LeaseLine> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void add(LeaseLine line) {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(line.text() + "\n");
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(false);
        } catch (IOException e) {
            throw FileProblem.of("cannot record a lease in " + file, e);
        }
        lines.add(line);
    }

    @Override
    public void close() {
        try (lockFile;
                channel) {
            channel.force(true);
        } catch (IOException e) {
            throw FileProblem.of("cannot close " + file, e);
        }
    }
}
