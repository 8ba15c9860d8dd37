package petrichor.jobs.channels;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.compression.DrainReport;
import petrichor.jobs.channels.compression.LevelModel;

/**
 * Writes a channel over a connection. The task's own thread compresses and sends; the operating
 * system's socket buffer keeps the wire busy meanwhile. Flow control: a block is sent when there is
 * a credit for it and the {@link SendWindow} is open.
 */
final class NetworkWriter implements BlockWriter {
    private final Connection connection;
    private final long channel;
    private final String name;
    private final ChannelLimits limits;
    private final BlockPool pool;
    private final TimeSource time;
    private final LevelModel model;
    private final SendWindow window;
    private final BlockEncoder encoder;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long granted;
    private long grantedAtFirst;
    private @Nullable DrainReport news;
    private volatile boolean cancelled;
    private boolean over;
    private boolean writing;
    private @Nullable PetrichorException failure;

    /** Only the writing thread uses it. */
    private long sent;

    NetworkWriter(
            Connection connection,
            long channel,
            LevelModel model,
            ChannelLimits limits,
            BlockPool pool,
            TimeSource time) {
        this.connection = connection;
        this.channel = channel;
        this.name = channel + " to " + connection.peer();
        this.limits = limits;
        this.pool = pool;
        this.time = time;
        this.model = model;
        this.window = new SendWindow(limits.blocksPerChannel());
        this.encoder = new BlockEncoder(model, channel, time);
    }

    @Override
    public void write(Block block) {
        if (block.length() == 0) {
            throw new IllegalArgumentException("an empty block cannot be sent");
        }
        int at = block.begin;
        while (at < block.end && begin()) {
            try {
                hear();
                at += encoder.encode(block, at);
                long waitBegin = time.monotonicNanos();
                if (awaitTurn(waitBegin)) {
                    long waited = time.monotonicNanos() - waitBegin;
                    long transfer = transfer();
                    sent++;
                    window.sent(encoder.storedBytes());
                    encoder.sent(waited, transfer);
                }
            } finally {
                finished();
            }
        }
        pool.give(block);
    }

    /** Returns false if the reader has enough; throws if the channel has failed or is closed. */
    private boolean begin() {
        lock.lock();
        try {
            if (cancelled && failure == null && !over) {
                return false;
            }
            refuseIfOver();
            writing = true;
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    private void refuseIfOver() {
        if (failure != null) {
            throw failure;
        }
        if (over) {
            throw PetrichorException.of(
                    ErrorCode.ABORTED,
                    "channel {name} was closed; nothing can be written to it",
                    "name",
                    name);
        }
    }

    /** Passes the reader's newest report to the model. */
    private void hear() {
        DrainReport report;
        lock.lock();
        try {
            report = news;
            news = null;
        } finally {
            lock.unlock();
        }
        if (report != null) {
            window.drained(report);
            model.drained(report);
        }
    }

    /** Waits for a credit and the window; returns false if the reader has enough. */
    private boolean awaitTurn(long waitBegin) {
        while (true) {
            lock.lock();
            try {
                refuseIfOver();
                if (cancelled) {
                    return false;
                }
                long taken = granted - grantedAtFirst;
                if (sent < granted && sent - taken < window.blocks()) {
                    return true;
                }
                if (news == null) {
                    awaitNews(waitBegin);
                }
            } finally {
                lock.unlock();
            }
            hear();
        }
    }

    @SuppressWarnings("WaitNotInLoop") // The caller loops.
    private void awaitNews(long waitBegin) {
        if (granted > 0) {
            changed.awaitUninterruptibly();
            return;
        }
        long left = limits.opening().toNanos() - (time.monotonicNanos() - waitBegin);
        if (left <= 0) {
            failure =
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            "channel {name}: no reader attached within {openingMillis} ms; the task"
                                    + " that reads it did not start",
                            "channel",
                            channel,
                            "name",
                            name,
                            "openingMillis",
                            limits.opening().toMillis());
            return;
        }
        try {
            var _ = changed.await(left, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(
                    ErrorCode.ABORTED,
                    "channel {name}: the wait for its reader was interrupted",
                    "name",
                    name);
        }
    }

    private long transfer() {
        long begin = time.monotonicNanos();
        send(encoder.array(), encoder.from(), encoder.length());
        return time.monotonicNanos() - begin;
    }

    private void send(byte[] message, int from, int length) {
        try {
            connection.output().send(message, from, length);
        } catch (IOException e) {
            connection.fail(
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            e,
                            "the connection to the process at {peer} was lost: {reason}",
                            "peer",
                            connection.peer(),
                            "reason",
                            e.getMessage()));
            lock.lock();
            try {
                refuseIfOver();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Called by the receiving thread with credits and a drain report. */
    void credited(Frame.Credit credit) {
        lock.lock();
        try {
            if (grantedAtFirst == 0) {
                grantedAtFirst = credit.granted();
            }
            granted = Math.max(granted, credit.granted());
            news = credit.report();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Called by the receiving thread. */
    void readerHasEnough() {
        lock.lock();
        try {
            cancelled = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Fails the channel because its connection has failed. */
    void lost(PetrichorException cause) {
        lock.lock();
        try {
            if (failure == null && !over) {
                failure = cause;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void end() {
        lock.lock();
        try {
            if (over) {
                return;
            }
            refuseIfOver();
        } finally {
            lock.unlock();
        }
        byte[] end = Frame.end(channel, sent);
        send(end, 0, end.length);
        leave(null);
    }

    @Override
    public void fail(String reason) {
        leave(reason);
    }

    @Override
    public void close() {
        leave("its writer closed before the end");
    }

    /** The first outcome wins. */
    private void leave(@Nullable String reason) {
        lock.lock();
        try {
            if (over) {
                return;
            }
            over = true;
            changed.signalAll();
            if (!writing) {
                encoder.close();
            }
        } finally {
            lock.unlock();
        }
        connection.remove(channel);
        if (reason != null) {
            byte[] text = reason.getBytes(UTF_8);
            byte[] bounded = Arrays.copyOf(text, Math.min(text.length, Frame.REASON_BYTES_MAX));
            connection.output().later(Frame.of(Frame.Type.FAIL, channel, bounded));
        }
    }

    private void finished() {
        lock.lock();
        try {
            writing = false;
            if (over) {
                encoder.close();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public ChannelCounters counters() {
        return encoder.counters();
    }
}
