package petrichor.jobs.engine.exchange;

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
 * <p>Where subtasks come and go ({@link TaskMembership}), senders join while others still send, and
 * several take blocks as they are ready for them. At a shared gate blocks are as large as takes a
 * subtask a moment: of large ones with costly records, few subtasks could take a part.
 */
public final class InputGate implements Receiver, Arrivals {
    /** What a sender may have filled that nobody has taken: those on their way, and one in work. */
    public static final long BLOCKS_OF_SENDER = SenderQueue.BLOCKS_MAX + 1;

    private final JobControl control;
    private final BlockPool pool;
    private final SpillArea area;
    private final boolean elastic;
    private final boolean profiled;
    private final GateConsumer alone = new GateConsumer();
    private final BlockSize blockSize = new BlockSize();
    private SenderQueue[] queues;
    private boolean shared;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition filled = lock.newCondition();
    private final Condition drained = lock.newCondition();
    private int open;
    private int turn;
    private volatile boolean enough;

    /**
     * @param profiled whether it is wanted to know how long both sides wait; else it is 0
     */
    public InputGate(
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
        this.queues = new SenderQueue[senders];
        for (int i = 0; i < senders; i++) {
            queues[i] = queue();
        }
        control.onStop(this::wake);
    }

    private SenderQueue queue() {
        return new SenderQueue(elastic ? new SpillFile(area, pool) : null);
    }

    /** Several subtasks will take from it. To be called before anybody sends. */
    public InputGate shared() {
        shared = true;
        blockSize.begins();
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
                throw new IllegalStateException("an input that has ended accepts no more senders");
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
            SenderQueue queue = queues[sender];
            long waited = 0;
            while (!enough && !elastic && queue.isFull()) {
                waited += await(drained);
            }
            if (enough) {
                pool.give(block);
            } else {
                queue.add(block, pool);
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
            if (!queues[sender].hasEnded()) {
                queues[sender].end();
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
        return blockSize.bytes();
    }

    @Override
    public @Nullable Block next() {
        return next(alone);
    }

    /** As {@link #next()}, also null for one that is to leave. */
    @Nullable Block next(GateConsumer taker) {
        lock.lock();
        try {
            if (shared) {
                blockSize.learn(taker.nanosPerByte());
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

    @Override
    public @Nullable Block next(int sender) {
        lock.lock();
        try {
            SenderQueue queue = queues[sender];
            while (true) {
                Block block = queue.poll();
                if (block != null) {
                    drained.signalAll();
                    return block;
                }
                if (queue.hasEnded()) {
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
            for (SenderQueue queue : queues) {
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

    long waitedNanos(GateConsumer taker) {
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

    private void waits(GateConsumer taker) {
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
}
