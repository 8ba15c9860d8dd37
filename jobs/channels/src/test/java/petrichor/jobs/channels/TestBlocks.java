package petrichor.jobs.channels;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Blocks whose bytes follow from their number, some easy to compress, some not. */
final class TestBlocks {
    private TestBlocks() {}

    static Block fill(Block block, long channel, long number) {
        SplittableRandom random = new SplittableRandom(channel * 1_000_003 + number);
        int length = 1 + random.nextInt(Block.BYTES_MAX);
        byte[] bytes = block.bytes();
        if (random.nextInt(3) == 0) {
            byte[] noise = new byte[length];
            random.nextBytes(noise);
            System.arraycopy(noise, 0, bytes, 0, length);
        } else {
            Arrays.fill(bytes, 0, length, (byte) random.nextInt(256));
            for (int at = 0; at < length; at += 1 + random.nextInt(300)) {
                bytes[at] = (byte) random.nextInt(64);
            }
        }
        return block.length(length);
    }

    static boolean is(Block block, long channel, long number, BlockPool pool) {
        Block expected = fill(pool.take(), channel, number);
        boolean same =
                Arrays.equals(
                        expected.bytes(), 0, expected.length(), block.bytes(), 0, block.length());
        expected.release();
        return same;
    }
}
