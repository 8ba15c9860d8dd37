package petrichor.jobs.engine;

import java.nio.ByteBuffer;
import petrichor.jobs.records.Words;

/**
 * The way to a subtask that another runtime connects us with. What goes there is a stream of
 * blocks, each behind a head, and a last head without a block: a stream without it was cut off.
 * Belongs to one thread.
 */
final class HostedReceiver implements Receiver {
    /** int32 number of the sender, int32 records, int32 bytes of the block. */
    static final int HEAD_BYTES = 12;

    /** In place of the number of records: no more blocks come. */
    static final int END = -1;

    private final SubtaskHost.Outlet outlet;
    private final int number;
    private final BlockPool pool;
    private final byte[] head = new byte[HEAD_BYTES];

    /**
     * @param number of the sending subtask
     */
    HostedReceiver(SubtaskHost.Outlet outlet, int number, BlockPool pool) {
        this.outlet = outlet;
        this.number = number;
        this.pool = pool;
    }

    @Override
    public long put(int sender, Block block) {
        long waited = 0;
        if (!outlet.hasEnough()) {
            waited = head(block.records, block.length());
            waited += outlet.write(ByteBuffer.wrap(block.array, block.begin, block.length()));
            outlet.flush();
        }
        pool.give(block);
        return waited;
    }

    @Override
    public void end(int sender) {
        head(END, 0);
        outlet.flush();
    }

    private long head(int records, int bytes) {
        Words.int32(head, 0, number);
        Words.int32(head, 4, records);
        Words.int32(head, 8, bytes);
        return outlet.write(ByteBuffer.wrap(head));
    }

    @Override
    public boolean hasEnough() {
        return outlet.hasEnough();
    }
}
