package petrichor.jobs.engine.hosted;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.ChannelCounters;
import petrichor.jobs.channels.PackedOutput;
import petrichor.jobs.engine.exchange.Receiver;
import petrichor.jobs.engine.memory.Block;
import petrichor.jobs.engine.memory.BlockPool;
import petrichor.jobs.records.Words;

/**
 * The way to a subtask that another runtime connects us with. What goes there is a stream of
 * blocks, each behind a head, and a last head without a block: a stream without it was cut off. A
 * block goes as it is, or packed into parts if its receiver is known to be on another machine.
 * Belongs to one thread.
 */
final class HostedReceiver implements Receiver, AutoCloseable {
    /** int32 number of the sender, int32 records, int32 bytes of the block, int32 its form. */
    static final int HEAD_BYTES = 16;

    /** In place of the number of records: no more blocks come. */
    static final int END = -1;

    /** The bytes follow as they are. */
    static final int PLAIN = 0;

    /** Parts follow as {@link PackedOutput} makes them, until they have so many bytes. */
    static final int PACKED = 1;

    private final SubtaskHost.Outlet outlet;
    private final int number;
    private final BlockPool pool;
    private final petrichor.jobs.channels.BlockPool parts;
    private final byte[] head = new byte[HEAD_BYTES];
    private @Nullable PackedOutput packed;

    /**
     * @param number of the sending subtask
     */
    HostedReceiver(
            SubtaskHost.Outlet outlet,
            int number,
            BlockPool pool,
            petrichor.jobs.channels.BlockPool parts) {
        this.outlet = outlet;
        this.number = number;
        this.pool = pool;
        this.parts = parts;
    }

    @Override
    public long put(int sender, Block block) {
        long waited = 0;
        if (!outlet.hasEnough()) {
            boolean away = outlet.away();
            waited = head(block.records, block.length(), away ? PACKED : PLAIN);
            waited += away ? pack(block) : plain(block);
            outlet.flush();
        }
        pool.give(block);
        return waited;
    }

    private long plain(Block block) {
        return outlet.write(ByteBuffer.wrap(block.array, block.begin, block.length()));
    }

    private long pack(Block block) {
        PackedOutput output = packed;
        if (output == null) {
            output = new PackedOutput(outlet.levels(), TimeSource.SYSTEM);
            packed = output;
        }
        long waited = 0;
        int room = petrichor.jobs.channels.Block.BYTES_MAX;
        for (int at = 0; at < block.length(); at += room) {
            int some = Math.min(room, block.length() - at);
            petrichor.jobs.channels.Block part = parts.take();
            System.arraycopy(block.array, block.begin + at, part.bytes(), 0, some);
            ByteBuffer bytes = output.pack(part.length(some));
            long begun = System.nanoTime();
            waited += outlet.write(bytes);
            long took = System.nanoTime() - begun;
            // What the receiver's own slowness costs, fewer bytes do not mend.
            long receivers = (long) (took * outlet.receiverBusy());
            output.sent(receivers, took - receivers);
        }
        return waited;
    }

    @Override
    public void end(int sender) {
        head(END, 0, PLAIN);
        outlet.flush();
        close();
    }

    private long head(int records, int bytes, int form) {
        Words.int32(head, 0, number);
        Words.int32(head, 4, records);
        Words.int32(head, 8, bytes);
        Words.int32(head, 12, form);
        return outlet.write(ByteBuffer.wrap(head));
    }

    @Override
    public ChannelCounters.@Nullable Figures shipped() {
        PackedOutput output = packed;
        return output == null ? null : output.figures();
    }

    @Override
    public boolean hasEnough() {
        return outlet.hasEnough();
    }

    /** By the thread that sends, or when there is none any more. */
    @Override
    public void close() {
        if (packed != null) {
            packed.close();
        }
    }
}
