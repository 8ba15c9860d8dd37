package petrichor.kv.testkit;

import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Runs a test for a series of seeds. Without options the seeds are 1, 2, 3, … so that every run is
 * the same; {@code -Dseeds=1000} tries that many, {@code -Dseed=17} only this one. A failure names
 * its seed. The body must take all randomness from the given generator, and must not depend on
 * thread scheduling, or the seed replays nothing.
 */
public final class Seeds {
    private static final String ONE_SEED = "seed";
    private static final String SEED_COUNT = "seeds";

    /** A test of one seed. */
    public interface Body {
        void run(SplittableRandom random) throws Exception;
    }

    private Seeds() {}

    /**
     * @param count number of seeds without options
     */
    public static void each(int count, Body body) {
        Long only = Long.getLong(ONE_SEED);
        if (only != null) {
            runOne(only, body);
            return;
        }
        int seeds = Integer.getInteger(SEED_COUNT, count);
        for (long seed = 1; seed <= seeds; seed++) {
            runOne(seed, body);
        }
    }

    private static void runOne(long seed, Body body) {
        try {
            body.run(new SplittableRandom(seed));
        } catch (Exception | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + " (replay: -Dseed=" + seed + "): " + e.getMessage(), e);
        }
    }

    public static boolean chance(SplittableRandom random, double probability) {
        return random.nextDouble() < probability;
    }

    public static <T extends @Nullable Object> T pick(SplittableRandom random, List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    /** Up to {@code lengthMax} random bytes. */
    public static byte[] bytes(SplittableRandom random, int lengthMax) {
        byte[] bytes = new byte[random.nextInt(lengthMax + 1)];
        random.nextBytes(bytes);
        return bytes;
    }

    /**
     * A short key of few distinct bytes, including those that stores handle wrongly: keys of
     * different tests often coincide, as do a key and its prefixes and successors.
     */
    public static byte[] key(SplittableRandom random) {
        byte[] letters = {0x00, 0x01, 'a', 0x7F, (byte) 0x80, (byte) 0xFF};
        byte[] key = new byte[random.nextInt(4)];
        for (int i = 0; i < key.length; i++) {
            key[i] = letters[random.nextInt(letters.length)];
        }
        return key;
    }
}
