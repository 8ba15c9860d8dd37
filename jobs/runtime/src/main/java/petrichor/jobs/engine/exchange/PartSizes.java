package petrichor.jobs.engine.exchange;

import java.util.Arrays;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.records.Words;

/**
 * The number of bytes that each subtask of a task will write to a file that all of them share. Each
 * sender counts what it sends to each receiver, and sends its counts to every receiver, after its
 * last record; so the sums are equal at all receivers. When its input has ended, each receiver
 * knows its offset in the file, before it emits the first record of its sort, and none waits for
 * another. Belongs to one thread.
 */
public final class PartSizes {
    /** Replaces the record count: the block holds the sizes of parts. */
    private static final int MARK = -2;

    private final long[] bytes;
    private boolean known;

    /**
     * @param parts number of subtasks that write
     */
    public PartSizes(int parts) {
        this.bytes = new long[parts];
    }

    /** Encodes one sender's counts. */
    static Block encode(long[] counts, BlockPool pool) {
        Block block = pool.take(counts.length * Long.BYTES);
        for (long count : counts) {
            Words.int64(block.array, block.end, count);
            block.end += Long.BYTES;
        }
        block.records = MARK;
        return block;
    }

    /** Whether a block holds counts instead of records. */
    public static boolean isIn(Block block) {
        return block.records == MARK;
    }

    /** Adds one sender's counts; the caller still owns the block. */
    public void add(Block block) {
        if (block.length() != bytes.length * Long.BYTES) {
            throw new IllegalStateException(
                    "sizes of " + block.length() + " bytes for " + bytes.length + " parts");
        }
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] += Words.int64(block.array, block.begin + i * Long.BYTES);
        }
        known = true;
    }

    /** Whether senders have sent counts. */
    public boolean known() {
        return known;
    }

    public long offset(int part) {
        return Arrays.stream(bytes, 0, part).sum();
    }

    public long bytes(int part) {
        return bytes[part];
    }

    public long total() {
        return offset(bytes.length);
    }
}
