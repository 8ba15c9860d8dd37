package petrichor.jobs.channels;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.compression.Level;

/**
 * The reader's end of a channel: a bounded queue that a {@link LocalWriter} fills with blocks, or a
 * connection with blocks as they came over the wire. Those are decompressed by the thread that
 * reads, so that many channels of one connection use many threads.
 *
 * <p>The feeder learns through {@link Feeder} that there is room again or that enough was read. The
 * lock is held for moments only, never while something is decompressed or sent.
 */
final class Inbox implements BlockReader {
    /** Who fills an inbox. Called without the inbox's lock. */
    interface Feeder {
        /** A block was taken: there is room for another. */
        void taken();

        /** The reader wants no more. */
        void enough();
    }

    private static final int FEW_BLOCKS = 2;

    private sealed interface Item {
        record Whole(Block block) implements Item {}

        record Stored(StoredBlock block) implements Item {}
    }

    private final String name;
    private final int blocksMax;
    private final Duration opening;
    private final TimeSource time;
    private final ChannelCounters counters;
    private final DrainMeter meter = new DrainMeter();
    private final BlockOpener opener;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Item> queue = new ArrayDeque<>();

    private @Nullable Feeder feeder;
    private boolean claimed;
    private boolean ended;
    private boolean enough;
    private boolean closed;
    private @Nullable PetrichorException failure;

    private long takenBlocks;

    /** When the consumer got its newest block; 0 before the first. Only its thread uses this. */
    private long handedOutNanos;

    Inbox(String name, ChannelLimits limits, BlockPool pool, TimeSource time) {
        this.name = name;
        this.blocksMax = limits.blocksPerChannel();
        this.opening = limits.opening();
        this.time = time;
        this.counters = new ChannelCounters(time.monotonicNanos());
        this.opener = new BlockOpener(pool, "channel " + name);
    }

    /** From now on this fills the inbox. */
    void feeder(Feeder feeder) {
        boolean wantsNone;
        lock.lock();
        try {
            if (this.feeder != null) {
                throw new PetrichorException(
                        ErrorCode.ALREADY_EXISTS, "channel " + name + " has a writer already");
            }
            this.feeder = feeder;
            wantsNone = enough;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (wantsNone) {
            feeder.enough();
        }
    }

    /** Somebody reads from now on; there can be only one. */
    Inbox claim() {
        Feeder told;
        lock.lock();
        try {
            if (claimed) {
                throw new PetrichorException(
                        ErrorCode.ALREADY_EXISTS, "channel " + name + " has a reader already");
            }
            claimed = true;
            told = feeder;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (told != null) {
            told.taken();
        }
        return this;
    }

    /** Both ends are there: nobody has to find this inbox any more. */
    boolean met() {
        lock.lock();
        try {
            return claimed && feeder != null;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for room and adds a block: for writers of this process. */
    BlockWriter.Outcome put(Block block, ChannelCounters writers) {
        lock.lock();
        try {
            if (full()) {
                long begin = time.monotonicNanos();
                while (full()) {
                    awaitRoom(begin);
                }
                writers.waited(time.monotonicNanos() - begin);
            }
            if (failure != null) {
                throw failure;
            }
            if (ended) {
                throw new PetrichorException(
                        ErrorCode.ABORTED,
                        "channel " + name + " was closed; nothing can be written to it");
            }
            if (enough) {
                block.release();
                return BlockWriter.Outcome.ENOUGH;
            }
            queue.addLast(new Item.Whole(block));
            changed.signalAll();
            return BlockWriter.Outcome.ACCEPTED;
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("WaitNotInLoop") // The caller loops.
    private void awaitRoom(long begin) {
        if (claimed) {
            changed.awaitUninterruptibly();
            return;
        }
        long left = opening.toNanos() - (time.monotonicNanos() - begin);
        if (left <= 0) {
            failure = absent("reader", "reads it");
        } else {
            awaitAtMost(left);
        }
    }

    private PetrichorException absent(String end, String does) {
        return new PetrichorException(
                ErrorCode.UNAVAILABLE,
                "channel "
                        + name
                        + ": no "
                        + end
                        + " attached within "
                        + opening.toMillis()
                        + " ms; the task that "
                        + does
                        + " did not start",
                Map.of("channel", name));
    }

    private boolean full() {
        return queue.size() >= blocksMax && !enough && !ended && failure == null;
    }

    /**
     * Adds what came over the wire; never waits, since the writer sends only what it has credits
     * for.
     *
     * @return false if the writer sent more than it may
     */
    boolean arrived(StoredBlock block) {
        lock.lock();
        try {
            if (enough || failure != null) {
                block.stored().release();
                return true;
            }
            if (ended || queue.size() >= blocksMax) {
                return false;
            }
            queue.addLast(new Item.Stored(block));
            meter.arrived(block.storedBytes(), time.monotonicNanos());
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The writer has written everything. */
    void ended() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The stream is broken; the first reason counts, and none after the end. */
    void failed(ErrorCode code, String reason) {
        lock.lock();
        try {
            if (failure == null && !ended) {
                failure =
                        new PetrichorException(
                                code,
                                "channel " + name + " failed: " + reason,
                                Map.of("channel", name));
                // What came before is part of a stream that is no good.
                drop();
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable Block next() {
        long begin = time.monotonicNanos();
        Item item;
        Feeder from;
        lock.lock();
        try {
            awaitItem(begin);
            long waited = time.monotonicNanos() - begin;
            meter.asked(handedOutNanos == 0 ? 0 : begin - handedOutNanos, waited);
            counters.waited(waited);
            if (closed) {
                throw new PetrichorException(
                        ErrorCode.ABORTED, "channel " + name + " was closed by its reader");
            }
            if (failure != null) {
                throw failure;
            }
            item = queue.pollFirst();
            if (item == null) {
                handedOutNanos = 0;
                opener.close();
                return null;
            }
            takenBlocks++;
            changed.signalAll();
            from = feeder;
        } finally {
            lock.unlock();
        }
        Block block = opened(item);
        if (from != null) {
            from.taken();
        }
        handedOutNanos = time.monotonicNanos();
        return block;
    }

    private Block opened(Item item) {
        return switch (item) {
            case Item.Whole(Block block) -> {
                counters.block(block.length(), block.length(), Level.NONE);
                yield block;
            }
            case Item.Stored(StoredBlock stored) -> {
                long begin = time.monotonicNanos();
                Block block = opener.open(stored);
                meter.opened(block.length(), time.monotonicNanos() - begin);
                counters.block(block.length(), stored.storedBytes(), stored.header().level());
                yield block;
            }
        };
    }

    private void awaitItem(long begin) {
        while (queue.isEmpty() && !ended && !enough && !closed && failure == null) {
            if (feeder != null) {
                changed.awaitUninterruptibly();
                continue;
            }
            long left = opening.toNanos() - (time.monotonicNanos() - begin);
            if (left <= 0) {
                failure = absent("writer", "feeds it");
                return;
            }
            awaitAtMost(left);
        }
    }

    @SuppressWarnings("WaitNotInLoop") // The caller loops.
    private void awaitAtMost(long nanos) {
        try {
            var _ = changed.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PetrichorException(
                    ErrorCode.ABORTED,
                    "channel " + name + ": the wait for its other end was interrupted");
        }
    }

    @Override
    public void enough() {
        wantNoMore(false);
    }

    @Override
    public void close() {
        wantNoMore(true);
    }

    private void wantNoMore(boolean closing) {
        Feeder told;
        lock.lock();
        try {
            told = enough || ended ? null : feeder;
            enough = true;
            closed |= closing;
            drop();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        opener.close();
        if (told != null) {
            told.enough();
        }
    }

    private void drop() {
        for (Item item : queue) {
            switch (item) {
                case Item.Whole(Block block) -> block.release();
                case Item.Stored(StoredBlock stored) -> stored.stored().release();
            }
        }
        queue.clear();
    }

    /** How many blocks the writer may have sent in all. */
    long granted() {
        lock.lock();
        try {
            return claimed ? takenBlocks + blocksMax : 0;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the reader soon has nothing to do: then the writer must hear of room at once. */
    boolean lowWatermark() {
        lock.lock();
        try {
            return queue.size() <= FEW_BLOCKS;
        } finally {
            lock.unlock();
        }
    }

    DrainMeter meter() {
        return meter;
    }

    @Override
    public ChannelCounters counters() {
        return counters;
    }
}
