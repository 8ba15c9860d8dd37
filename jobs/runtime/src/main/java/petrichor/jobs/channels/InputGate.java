package petrichor.jobs.channels;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * One input of a subtask, or one that all subtasks of a task share: a queue of blocks for each of
 * its channels. A channel is fed by a sender in this process ({@link #sender}), by a connection
 * ({@link Exchange#receive}), by another runtime ({@link FrameDecoder}), or read from a file
 * ({@link #read}); no channel has a thread of its own. The thread that takes a compressed block
 * decompresses it.
 *
 * <p>Back-pressure: a fast sender waits for queue space in this process, or for credits in another
 * one. At an <em>elastic</em> gate the excess is spilled to disk instead: such gates are used where
 * waiting could deadlock (two paths from one task to another, or channels that are merged in
 * order).
 *
 * <p>Early termination: the receiver can say "enough"; senders see it, and later blocks are
 * dropped.
 *
 * <p>Under live scaling, senders join while others still send, and several subtasks share a gate,
 * each taking the next block when it is ready. The blocks of a shared gate are sized by processing
 * time: large blocks of expensive records could not be divided among many subtasks. A shared gate
 * has local senders only. Safe for all threads.
 */
public final class InputGate implements TaskInput {
    /**
     * Blocks of a sender that can be full at a time: those queued, and one that the receiver is
     * processing.
     */
    public static final long BLOCKS_OF_SENDER = InputChannel.BLOCKS_MAX + 1;

    private static final int ANY = -1;

    private final JobControl control;
    private final BlockPool pool;
    private final @Nullable Supplier<Overflow> overflow;
    private final boolean profiled;
    private final GateConsumer alone = new GateConsumer();
    private final BlockSize blockSize = new BlockSize();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition filled = lock.newCondition();
    private final Condition drained = lock.newCondition();

    /** Written under the lock. */
    private volatile InputChannel[] channels;

    private boolean shared;
    private int open;
    private int turn;

    /** Whether some channels come from other processes: only then idle times are measured. */
    private boolean remote;

    private long starvesSinceNanos;
    private long idleNanos;
    private volatile boolean cancelled;

    /**
     * @param overflow creates the spill queue of a channel; null if fast senders are blocked
     * @param profiled whether to measure how long both sides wait; else the times are 0
     */
    public InputGate(
            int senders,
            @Nullable Supplier<Overflow> overflow,
            JobControl control,
            BlockPool pool,
            boolean profiled) {
        this.control = control;
        this.pool = pool;
        this.overflow = overflow;
        this.profiled = profiled;
        this.open = senders;
        this.channels = new InputChannel[senders];
        for (int i = 0; i < senders; i++) {
            channels[i] = channel();
        }
        control.onStop(this::wake);
    }

    private InputChannel channel() {
        return new InputChannel(overflow == null ? null : overflow.get());
    }

    /** Lets several subtasks take from the gate. To be called before the first block is sent. */
    public InputGate shared() {
        shared = true;
        blockSize.begins();
        return this;
    }

    @Override
    public int senders() {
        return channels.length;
    }

    /**
     * Adds a sender and returns its number. Allowed only while another sender has not ended: the
     * receiver of an input that has ended may have finished.
     */
    public int join() {
        lock.lock();
        try {
            if (open == 0) {
                throw new IllegalStateException("an input that has ended accepts no more senders");
            }
            open++;
            for (int i = 0; i < channels.length; i++) {
                if (channels[i].isOver()) {
                    channels[i] = channel();
                    return i;
                }
            }
            channels = Arrays.copyOf(channels, channels.length + 1);
            channels[channels.length - 1] = channel();
            return channels.length - 1;
        } finally {
            lock.unlock();
        }
    }

    /** The sending end of a channel within this process. */
    public BlockWriter sender(int slot) {
        return new LocalWriter(this, slot);
    }

    /** Attaches a file as a channel; the gate closes the reader. */
    public void read(int slot, SpillReader file) {
        lock.lock();
        try {
            requireNotShared();
            channels[slot].read(file);
            filled.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Attaches a connection as a channel. */
    InputChannel feed(int slot, RemoteChannel by, int credits) {
        lock.lock();
        try {
            requireNotShared();
            remote = true;
            channels[slot].feed(by, credits);
            return channels[slot];
        } finally {
            lock.unlock();
        }
    }

    private void requireNotShared() {
        if (shared) {
            throw new IllegalStateException("a shared gate has local senders only");
        }
    }

    /**
     * Adds a block, which may be packed; blocks while the channel is full.
     *
     * @return how long it was blocked, in nanoseconds
     */
    public long put(int sender, Block block) {
        lock.lock();
        try {
            InputChannel channel = channels[sender];
            long waited = 0;
            while (!cancelled && !channel.isElastic() && channel.isFull()) {
                waited += await(drained);
            }
            var _ = take(channel, block);
            return waited;
        } finally {
            lock.unlock();
        }
    }

    /**
     * As {@link #put} for a sender that holds a credit for the block.
     *
     * @return whether the sender gets another credit at once
     */
    boolean arrived(int sender, Block block) {
        lock.lock();
        try {
            return take(channels[sender], block);
        } finally {
            lock.unlock();
        }
    }

    private boolean take(InputChannel channel, Block block) {
        filled.signal();
        if (cancelled) {
            pool.give(block);
            return false;
        }
        return channel.add(block, pool);
    }

    /** Ends the sender's stream. */
    public void end(int sender) {
        lock.lock();
        try {
            if (!channels[sender].hasEnded()) {
                channels[sender].end();
                open--;
                // Every consumer has to see the end of the input.
                filled.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Fails a sender's stream, and with it the receiver, unless it wants no more. */
    void failed(PetrichorException reason) {
        if (!cancelled) {
            control.stop(reason);
        }
    }

    /** Recommended block size. */
    int blockBytes() {
        return blockSize.bytes();
    }

    @Override
    public @Nullable Block next() {
        return next(alone);
    }

    @Override
    public @Nullable Block next(int sender) {
        return next(alone, sender);
    }

    /** As {@link #next()}; also null for a consumer that is asked to leave. */
    public @Nullable Block next(GateConsumer consumer) {
        return next(consumer, ANY);
    }

    private @Nullable Block next(GateConsumer consumer, int sender) {
        while (true) {
            control.check();
            InputChannel from;
            Block block;
            lock.lock();
            try {
                if (shared) {
                    blockSize.learn(consumer.nanosPerByte());
                }
                from = await(consumer, sender);
                if (from == null) {
                    return null;
                }
                block = taken(from);
                if (shared && block != null) {
                    consumer.took(block);
                }
            } finally {
                lock.unlock();
            }
            Block opened = opened(from, block);
            if (opened != null) {
                return opened;
            }
        }
    }

    /**
     * Waits for a channel with blocks; null at the end of the input, or if the consumer is asked to
     * leave.
     */
    private @Nullable InputChannel await(GateConsumer consumer, int sender) {
        while (true) {
            if (consumer.isSurplus()) {
                // This consumer may have consumed the signal for a block that another one has to
                // take now.
                filled.signal();
                return null;
            }
            if (cancelled) {
                return null;
            }
            InputChannel from = sender == ANY ? anyWithBlocks() : channels[sender];
            if (from != null && from.hasBlocks()) {
                return from;
            }
            if (from == null ? open == 0 : from.hasEnded()) {
                checkWhole(from);
                return null;
            }
            waits(consumer);
        }
    }

    private @Nullable InputChannel anyWithBlocks() {
        for (int i = 0; i < channels.length; i++) {
            turn = turn + 1 == channels.length ? 0 : turn + 1;
            if (channels[turn].hasBlocks()) {
                return channels[turn];
            }
        }
        return null;
    }

    /** The oldest block of a channel that has some; null if it is in a file. */
    private @Nullable Block taken(InputChannel from) {
        Block block = from.poll();
        starvesSinceNanos = 0;
        drained.signalAll();
        return block;
    }

    /**
     * Reads, verifies and decompresses without the lock. Null if no complete block has arrived yet.
     */
    private @Nullable Block opened(InputChannel from, @Nullable Block block) {
        if (block != null && !block.isPacked()) {
            return block;
        }
        control.check();
        try {
            if (block == null) {
                return read(from);
            }
            BlockOpener opener = from.opener(pool);
            RemoteChannel remote = from.remote();
            return remote == null ? opener.open(block) : remote.open(block, opener, idleNanos);
        } catch (PetrichorException e) {
            throw broken(e);
        }
    }

    private @Nullable Block read(InputChannel from) {
        SpillReader file = from.file();
        Block block = file == null ? null : file.next();
        if (block == null) {
            lock.lock();
            try {
                from.end();
                open--;
            } finally {
                lock.unlock();
            }
        }
        return block;
    }

    /** INTERNAL if the stream has ended within a block; null checks all channels. */
    private void checkWhole(@Nullable InputChannel ended) {
        try {
            for (InputChannel channel : channels) {
                if (ended == null || ended == channel) {
                    channel.checkWhole();
                }
            }
        } catch (PetrichorException e) {
            throw broken(e);
        }
    }

    private JobControl.Stopped broken(PetrichorException reason) {
        control.stop(reason);
        return new JobControl.Stopped();
    }

    /** Terminates early: senders stop, and queued blocks are dropped. */
    @Override
    public void cancelUpstream() {
        List<RemoteChannel> sending = new ArrayList<>();
        lock.lock();
        try {
            cancelled = true;
            for (InputChannel channel : channels) {
                channel.drop(pool);
                RemoteChannel remote = channel.remote();
                if (remote != null && !channel.hasEnded()) {
                    sending.add(remote);
                }
            }
            drained.signalAll();
            filled.signalAll();
        } finally {
            lock.unlock();
        }
        sending.forEach(RemoteChannel::cancelUpstream);
    }

    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public long waitedNanos() {
        return alone.waitedNanos();
    }

    @Override
    public void close() {
        cancelUpstream();
    }

    private void waits(GateConsumer consumer) {
        long from = remote ? System.nanoTime() : 0;
        if (profiled) {
            consumer.waits();
        }
        try {
            RemoteChannel absent = remote ? absent() : null;
            if (absent == null) {
                await(filled);
            } else {
                awaitSender(absent);
            }
        } finally {
            if (profiled) {
                consumer.goesOn();
            }
            idleNanos += remote ? System.nanoTime() - from : 0;
        }
    }

    /** A channel that has no sender yet. */
    private @Nullable RemoteChannel absent() {
        for (InputChannel channel : channels) {
            RemoteChannel by = channel.remote();
            if (by != null && !by.isOpened()) {
                return by;
            }
        }
        return null;
    }

    @SuppressWarnings("WaitNotInLoop") // its callers loop
    private void awaitSender(RemoteChannel absent) {
        control.check();
        long now = System.nanoTime();
        starvesSinceNanos = starvesSinceNanos == 0 ? now : starvesSinceNanos;
        long left = absent.openingNanos() - (now - starvesSinceNanos);
        if (left <= 0) {
            throw broken(absent.absent());
        }
        try {
            var _ = filled.awaitNanos(left);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            control.check();
            throw broken(
                    PetrichorException.of(
                            ErrorCode.ABORTED, "the wait for a sender was interrupted"));
        }
        control.check();
    }

    @SuppressWarnings("WaitNotInLoop") // its callers loop
    private long await(Condition condition) {
        control.check();
        long from = profiled ? System.nanoTime() : 0;
        condition.awaitUninterruptibly();
        control.check();
        return profiled ? System.nanoTime() - from : 0;
    }

    /** Wakes waiting threads to check again. */
    public void wake() {
        lock.lock();
        try {
            filled.signalAll();
            drained.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
