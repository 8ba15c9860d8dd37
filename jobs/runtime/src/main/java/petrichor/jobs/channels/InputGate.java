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
 * One input of one subtask, or one that all subtasks of a task share: a queue of blocks for each of
 * its channels. A channel is fed by a sender in this process ({@link #sender}), by a connection
 * ({@link Exchange#receive}), by another runtime ({@link FrameDecoder}), or read from a file
 * ({@link #read}); no channel has a thread. What arrives compressed is opened by the thread that
 * takes it.
 *
 * <p>A sender that is ahead waits: in this process for room, in another one for credits. At an
 * <em>elastic</em> gate what is ahead goes to disk instead: such gates stand where waiting could
 * close a circle (two paths from one task to another, or channels that are merged in order).
 *
 * <p>The receiver can say "enough": then senders learn it, and what they still send is dropped.
 *
 * <p>Where subtasks come and go, senders join while others still send, and several take blocks as
 * they are ready for them. At a shared gate blocks are as large as takes a subtask a moment: of
 * large ones with costly records, few subtasks could take a part. A shared gate has local senders
 * only. Safe for all threads.
 */
public final class InputGate implements TaskInput {
    /** What a sender may have filled that nobody has taken: those on their way, and one in work. */
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

    /** Whether some channels come from other processes: then idle times are measured. */
    private boolean remote;

    private long starvesSinceNanos;
    private long idleNanos;
    private volatile boolean enough;

    /**
     * @param overflow makes what holds the blocks of a sender that is ahead; null if it waits
     * @param profiled whether it is wanted to know how long both sides wait; else it is 0
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

    /** Several subtasks will take from it. To be called before anybody sends. */
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
     * One more sender, whose number is returned. Only while another one still sends: an input that
     * has ended stays so, or its receiver would be gone.
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

    /** A channel whose blocks are in a file; the gate closes the reader. */
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

    /** A channel that a connection feeds. */
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
     * Adds a block, which may be packed; waits while the channel is full.
     *
     * @return how long it waited in nanoseconds
     */
    public long put(int sender, Block block) {
        lock.lock();
        try {
            InputChannel channel = channels[sender];
            long waited = 0;
            while (!enough && !channel.isElastic() && channel.isFull()) {
                waited += await(drained);
            }
            var _ = take(channel, block);
            return waited;
        } finally {
            lock.unlock();
        }
    }

    /**
     * As {@link #put} for a sender that has a credit for the block.
     *
     * @return whether the sender may have another credit at once
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
        if (enough) {
            pool.give(block);
            return false;
        }
        return channel.add(block, pool);
    }

    /** The sender has sent everything. */
    public void end(int sender) {
        lock.lock();
        try {
            if (!channels[sender].hasEnded()) {
                channels[sender].end();
                open--;
                // All consumers have to learn that nothing more comes.
                filled.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The stream of a sender is broken, which fails the receiver, unless it wants no more. */
    void failed(PetrichorException reason) {
        if (!enough) {
            control.stop(reason);
        }
    }

    /** How large blocks should be. */
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

    /** As {@link #next()}, also null for a consumer that is to leave. */
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

    /** Waits for a channel that has blocks; null at the end, or if the consumer is to leave. */
    private @Nullable InputChannel await(GateConsumer consumer, int sender) {
        while (true) {
            if (consumer.isSurplus()) {
                // It may have been woken for a block that another one has to take now.
                filled.signal();
                return null;
            }
            if (enough) {
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

    /** The oldest block of a channel that has some; null if that is in a file. */
    private @Nullable Block taken(InputChannel from) {
        Block block = from.poll();
        starvesSinceNanos = 0;
        drained.signalAll();
        return block;
    }

    /** Without the lock: it reads, checks and decompresses. Null if there is no whole block yet. */
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

    /** INTERNAL if a stream has ended within a block; null: any of them. */
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

    /** Nothing more is wanted: senders learn it, and what is queued is dropped. */
    @Override
    public void enough() {
        List<RemoteChannel> sending = new ArrayList<>();
        lock.lock();
        try {
            enough = true;
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
        sending.forEach(RemoteChannel::enough);
    }

    public boolean hasEnough() {
        return enough;
    }

    @Override
    public long waitedNanos() {
        return alone.waitedNanos();
    }

    @Override
    public void close() {
        enough();
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
                    new PetrichorException(
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

    /** Lets those who wait check again. */
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
