package petrichor.jobs.engine;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One input of one subtask: a queue of blocks from each of its senders. A sender that is ahead
 * waits, except at an <em>elastic</em> gate, where what is ahead goes to disk: such gates stand
 * where waiting could close a circle (two paths from one task to another, or channels that are
 * merged in order).
 *
 * <p>The receiver can say "enough": then senders are told so, and what they still send is dropped.
 */
final class Gate implements Receiver, AutoCloseable {
    /** Half a megabyte ahead per channel keeps both sides busy; more only cools the caches. */
    private static final int BLOCKS_PER_SENDER = 4;

    private final JobControl control;
    private final BlockPool pool;
    private final Queue[] queues;
    private final boolean elastic;
    private final boolean profiled;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition filled = lock.newCondition();
    private final Condition drained = lock.newCondition();
    private int open;
    private int turn;
    private volatile boolean enough;
    private long receiverWaitedNanos;
    private long receiverWaitsSinceNanos;

    /**
     * @param profiled whether it is wanted to know how long both sides wait; else it is 0
     */
    Gate(
            int senders,
            boolean elastic,
            JobControl control,
            BlockPool pool,
            SpillArea area,
            boolean profiled) {
        this.control = control;
        this.pool = pool;
        this.elastic = elastic;
        this.profiled = profiled;
        this.open = senders;
        this.queues = new Queue[senders];
        for (int i = 0; i < senders; i++) {
            queues[i] = new Queue(elastic ? new SpillFile(area, pool) : null);
        }
        control.onStop(this::wake);
    }

    int senders() {
        return queues.length;
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
                filled.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The next block of any sender, or null when all have ended. The caller owns it. */
    @Nullable Block next() {
        lock.lock();
        try {
            while (true) {
                for (int i = 0; i < queues.length; i++) {
                    turn = turn + 1 == queues.length ? 0 : turn + 1;
                    Block block = queues[turn].poll();
                    if (block != null) {
                        drained.signalAll();
                        return block;
                    }
                }
                if (open == 0) {
                    return null;
                }
                receiverWaits();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The next block of this sender, or null when it has ended. */
    @Nullable Block next(int sender) {
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
                receiverWaits();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Nothing more is wanted: senders are told, and what is queued is dropped. */
    void enough() {
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

    /** How long the receiver has waited so far, the wait that it is in included. */
    long receiverWaitedNanos() {
        lock.lock();
        try {
            long since = receiverWaitsSinceNanos;
            return receiverWaitedNanos + (since == 0 ? 0 : System.nanoTime() - since);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        enough();
    }

    private void receiverWaits() {
        receiverWaitsSinceNanos = profiled ? System.nanoTime() : 0;
        try {
            receiverWaitedNanos += await(filled);
        } finally {
            receiverWaitsSinceNanos = 0;
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

    private void wake() {
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
