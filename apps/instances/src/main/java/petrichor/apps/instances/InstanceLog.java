package petrichor.apps.instances;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.base.PrivateFolder;

/**
 * Lines of the instances of one version of a service, in files that rotate by size. Thread-safe. A
 * line is in the file when {@link #append} returns, but not synced. A full disk loses lines, which
 * are counted; it never delays an app.
 */
public final class InstanceLog implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(InstanceLog.class.getName());

    private final LogFiles files;
    private final LogLimits limits;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition written = lock.newCondition();
    private LogPosition end;
    private @Nullable FileChannel current;
    private boolean closed;
    private boolean failing;
    private long lostLines;

    private InstanceLog(LogFiles files, LogLimits limits, LogPosition end) {
        this.files = files;
        this.limits = limits;
        this.end = end;
    }

    /** Continues the log in this folder, or creates it. */
    public static InstanceLog open(Path folder, LogLimits limits) {
        try {
            PrivateFolder.create(folder);
            LogFiles files = new LogFiles(folder);
            List<Long> numbers = files.numbers();
            // A new file, as the last line of the old one may be incomplete.
            long next = numbers.isEmpty() ? 1 : numbers.getLast() + 1;
            return new InstanceLog(files, limits, new LogPosition(next, 0));
        } catch (IOException e) {
            throw FileProblem.of("cannot open the log in " + folder, e);
        }
    }

    public LogLimits limits() {
        return limits;
    }

    /** Appends a line; never fails. */
    public void append(LogLine line) {
        byte[] bytes = line.formatted().getBytes(StandardCharsets.UTF_8);
        lock.lock();
        try {
            if (closed) {
                return;
            }
            write(bytes);
            failing = false;
            written.signalAll();
        } catch (IOException e) {
            lostLines++;
            if (!failing) {
                failing = true;
                LOG.log(
                        System.Logger.Level.WARNING,
                        "lines of the log in {0} are lost: {1}",
                        files.folder(),
                        FileProblem.reason(e));
            }
        } finally {
            lock.unlock();
        }
    }

    private void write(byte[] bytes) throws IOException {
        if (end.offset() > 0 && end.offset() + bytes.length > limits.fileBytesMax()) {
            close(current);
            current = null;
            end = new LogPosition(end.file() + 1, 0);
        }
        FileChannel to = current;
        if (to == null) {
            to =
                    FileChannel.open(
                            files.path(end.file()),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
            current = to;
            files.deleteOldest(limits.filesMax());
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        long offset = end.offset();
        while (buffer.hasRemaining()) {
            // At an explicit offset: a part of a line that did not fit on the disk is overwritten.
            offset += to.write(buffer, offset);
        }
        end = new LogPosition(end.file(), offset);
    }

    /** Lines that could not be written. */
    public long lostLines() {
        lock.lock();
        try {
            return lostLines;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reads the last lines, and those that follow.
     *
     * @param lines how many of the existing lines to read
     */
    public LogTail tail(int lines) {
        try {
            return new LogTail(this, files, files.before(end(), lines));
        } catch (IOException e) {
            throw FileProblem.of("cannot read the log in " + files.folder(), e);
        }
    }

    LogPosition end() {
        lock.lock();
        try {
            return end;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is more than this, the time has passed or the log is closed. */
    LogPosition awaitMore(LogPosition read, Duration timeMax) throws InterruptedException {
        lock.lock();
        try {
            long nanos = timeMax.toNanos();
            while (end.equals(read) && !closed && nanos > 0) {
                nanos = written.awaitNanos(nanos);
            }
            return end;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            close(current);
            current = null;
            written.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void close(@Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "cannot close a file in {0}: {1}",
                    files.folder(),
                    e);
        }
    }
}
