package petrichor.jobs.channels;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Blocks whose content follows from their number, some of it compressible. */
final class TestBlocks {
    private TestBlocks() {}

    static Block fill(Block block, long channel, long number) {
        SplittableRandom random = new SplittableRandom(channel * 1_000_003 + number);
        int length = 1 + random.nextInt(BlockPool.blockBytes());
        byte[] bytes = new byte[length];
        if (random.nextInt(3) == 0) {
            random.nextBytes(bytes);
        } else {
            Arrays.fill(bytes, (byte) random.nextInt(256));
            for (int at = 0; at < length; at += 1 + random.nextInt(300)) {
                bytes[at] = (byte) random.nextInt(64);
            }
        }
        return of(block, bytes, (int) number);
    }

    static Block of(Block block, byte[] bytes, int records) {
        System.arraycopy(bytes, 0, block.array, block.begin, bytes.length);
        block.end = block.begin + bytes.length;
        block.records = records;
        return block;
    }

    static byte[] bytes(Block block) {
        return Arrays.copyOfRange(block.array, block.begin, block.end);
    }

    static boolean is(Block block, long channel, long number, BlockPool pool) {
        Block expected = fill(pool.take(), channel, number);
        boolean same =
                Arrays.equals(bytes(expected), bytes(block)) && expected.records == block.records;
        pool.give(expected);
        return same;
    }

    /** Returns the number of blocks written before the receiver cancelled. */
    static int writeUntilEnough(BlockWriter writer, BlockPool pool) {
        int count = 0;
        while (!writer.isCancelled()) {
            writer.write(TestBlocks.fill(pool.take(), 1, count++));
        }
        writer.end();
        return count;
    }

    /** Waits until the thread is blocked. */
    @SuppressWarnings("ThreadPriorityCheck") // waits for another thread, which is about to act
    static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.WAITING) {
            assertThat(thread.isAlive()).as("the thread ended instead of waiting").isTrue();
            Thread.yield();
        }
    }
}
