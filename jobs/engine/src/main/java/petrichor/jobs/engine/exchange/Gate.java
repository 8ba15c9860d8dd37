package petrichor.jobs.engine.exchange;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.engine.memory.Block;
import petrichor.jobs.engine.memory.BlockPool;
import petrichor.jobs.engine.memory.JobControl;
import petrichor.jobs.engine.memory.SpillArea;
import petrichor.jobs.engine.memory.SpillFile;

/**
 * One input of one subtask, or one that all subtasks of a task share: a queue of blocks from each
 * of its senders. A sender that is ahead waits, except at an <em>elastic</em> gate, where what is
 * ahead goes to disk: such gates stand where waiting could close a circle (two paths from one task
 * to another, or channels that are merged in order).
 *
 * <p>The receiver can say "enough": then senders are told so, and what they still send is dropped.
 *
 * <p>Where subtasks come and go ({@link Roster}), senders join while others still send, and several
 * take blocks as they are ready for them. At a shared gate blocks are as large as takes a subtask a
 * moment: of large ones with costly records, few subtasks could take a part.
 */
public final class Gate implements Receiver, Arrivals {
    /** Half a megabyte ahead per channel keeps both sides busy; more only cools the caches. */
    private static final int BLOCKS_PER_SENDER = 4;

    /** What a sender may have filled that nobody has taken: those, and one that it fills. */
    public static final long BLOCKS_OF_SENDER = BLOCKS_PER_SENDER + 1;

    /** What a block of a shared gate should cost: 20 ms, a thousand times what a hand-over does. */
    private static final double SHARED_BLOCK_NANOS = 20e6;

    /** As long as nobody knows what they cost, blocks of a shared gate are as small as this. */
    private static final int SHARED_BLOCK_BYTES_FIRST = 1 << 10;

    /** A new measurement counts as much as all before it. */
    private static final double NEW_PART = 0.5;

    private final JobControl control;
    private final BlockPool pool;
    private final SpillArea area;
    private final boolean elastic;
    private final boolean profiled;
    private final Taker alone = new Taker();
    private Queue[] queues;
    private boolean shared;
    private double nanosPerByte;
    private volatile int blockBytes = Block.BYTES;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition filled = lock.newCondition();
    private final Condition drained = lock.newCondition();
    private int open;
    private int turn;
    private volatile boolean enough;

    /**
     * @param profiled whether it is wanted to know how long both sides wait; else it is 0
     */
    public Gate(
            int senders,
            boolean elastic,
            JobControl control,
            BlockPool pool,
            SpillArea area,
            boolean profiled) {
        this.control = control;
        this.pool = pool;
        this.area = area;
        this.elastic = elastic;
        this.profiled = profiled;
        this.open = senders;
        this.queues = new Queue[senders];
        for (int i = 0; i < senders; i++) {
            queues[i] = queue();
        }
        control.onStop(this::wake);
    }

    private Queue queue() {
        return new Queue(elastic ? new SpillFile(area, pool) : null);
    }

    /** Several subtasks will take from it. To be called before anybody sends. */
    public Gate shared() {
        shared = true;
        blockBytes = SHARED_BLOCK_BYTES_FIRST;
        return this;
    }

    @Override
    public int senders() {
        lock.lock();
        try {
            return queues.length;
        } finally {
            lock.unlock();
        }
    }

    /**
     * One more sender, whose number is returned. Only while another one still sends: an input that
     * has ended stays so, or its receiver would be gone.
     */
    public int join() {
        lock.lock();
        try {
            if (open == 0) {
                throw new IllegalStateException("an input that has ended gets no more senders");
            }
            open++;
            for (int i = 0; i < queues.length; i++) {
                if (queues[i].isOver()) {
                    queues[i] = queue();
                    return i;
                }
            }
            queues = Arrays.copyOf(queues, queues.length + 1);
            queues[queues.length - 1] = queue();
            return queues.length - 1;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long put(int sender, Block block) {
        lock.lock();
        try {
            Queue queue = queues[sender];
            long waited = 0;
            while (!enough && !elastic && queue.blocks.size() >= BLOCKS_PER_SENDER) {
                waited += await(drained);
            }
            if (enough) {
                pool.give(block);
            } else if (queue.mustSpill()) {
                queue.spill(block);
                pool.give(block);
            } else {
                queue.blocks.addLast(block);
            }
            filled.signal();
            return waited;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void end(int sender) {
        lock.lock();
        try {
            if (!queues[sender].ended) {
                queues[sender].ended = true;
                open--;
                // All takers have to learn that nothing more comes.
                filled.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int blockBytes() {
        return blockBytes;
    }

    @Override
    public @Nullable Block next() {
        return next(alone);
    }

    /** As {@link #next()}, also null for one that is to leave. */
    @Nullable Block next(Taker taker) {
        lock.lock();
        try {
            if (shared) {
                learn(taker.nanosPerByte());
            }
            while (true) {
                if (taker.isSurplus()) {
                    // It may have been woken for a block that somebody else has to take now.
                    filled.signal();
                    return null;
                }
                for (int i = 0; i < queues.length; i++) {
                    turn = turn + 1 == queues.length ? 0 : turn + 1;
                    Block block = queues[turn].poll();
                    if (block != null) {
                        drained.signalAll();
                        if (shared) {
                            taker.took(block);
                        }
                        return block;
                    }
                }
                if (open == 0) {
                    return null;
                }
                waits(taker);
            }
        } finally {
            lock.unlock();
        }
    }

    private void learn(double newNanosPerByte) {
        if (newNanosPerByte > 0) {
            nanosPerByte =
                    nanosPerByte == 0
                            ? newNanosPerByte
                            : nanosPerByte + NEW_PART * (newNanosPerByte - nanosPerByte);
            blockBytes = (int) Math.clamp(SHARED_BLOCK_NANOS / nanosPerByte, 1, Block.BYTES);
        }
    }

    @Override
    public @Nullable Block next(int sender) {
        lock.lock();
        try {
            Queue queue = queues[sender];
            while (true) {
                Block block = queue.poll();
                if (block != null) {
                    drained.signalAll();
                    return block;
                }
                if (queue.ended) {
                    return null;
                }
                waits(alone);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Nothing more is wanted: senders are told, and what is queued is dropped. */
    @Override
    public void enough() {
        lock.lock();
        try {
            enough = true;
            for (Queue queue : queues) {
                queue.drop(pool);
            }
            drained.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean hasEnough() {
        return enough;
    }

    @Override
    public long waitedNanos() {
        return waitedNanos(alone);
    }

    long waitedNanos(Taker taker) {
        lock.lock();
        try {
            return taker.waitedNanos();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        enough();
    }

    private void waits(Taker taker) {
        if (!profiled) {
            await(filled);
            return;
        }
        taker.waits();
        try {
            await(filled);
        } finally {
            taker.goesOn();
        }
    }

    @SuppressWarnings("WaitNotInLoop") // its callers loop
    private long await(Condition condition) {
        control.check();
        long from = profiled ? System.nanoTime() : 0;
        condition.awaitUninterruptibly();
        control.check();
        return profiled ? System.nanoTime() - from : 0;
    }

    /** Lets those who wait look again. */
    void wake() {
        lock.lock();
        try {
            filled.signalAll();
            drained.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** What one sender has sent: first what is in memory, then what is on disk. */
    private static final class Queue {
        final ArrayDeque<Block> blocks = new ArrayDeque<>();
        final @Nullable SpillFile file;
        long readFrom;
        boolean ended;

        Queue(@Nullable SpillFile file) {
            this.file = file;
        }

        boolean mustSpill() {
            return file != null && (blocks.size() >= BLOCKS_PER_SENDER || readFrom < file.size());
        }

        void spill(Block block) {
            if (file != null) {
                file.write(block);
            }
        }

        @Nullable Block poll() {
            Block block = blocks.pollFirst();
            if (block == null && file != null && readFrom < file.size()) {
                block = file.read(readFrom);
                readFrom = SpillFile.after(readFrom, block);
            }
            return block;
        }

        /** Whether its sender has ended and everything was taken. */
        boolean isOver() {
            return ended && blocks.isEmpty() && (file == null || readFrom >= file.size());
        }

        void drop(BlockPool pool) {
            for (Block block = blocks.pollFirst(); block != null; block = blocks.pollFirst()) {
                pool.give(block);
            }
            if (file != null) {
                readFrom = file.size();
                file.close();
            }
        }
    }
}
