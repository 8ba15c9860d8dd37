package petrichor.kv.testkit;

import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Runs a test with one seed after the other. Without options the seeds are 1, 2, 3, … so that every
 * run is the same; {@code -Dseeds=1000} tries that many, {@code -Dseed=17} only this one. What
 * fails says which seed it was. The body must take all its chance from the random that it is given,
 * and no order from threads, or the seed replays nothing.
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
     * @param count how many seeds are tried when no option says otherwise
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

    /** From no byte to {@code lengthMax} bytes. */
    public static byte[] bytes(SplittableRandom random, int lengthMax) {
        byte[] bytes = new byte[random.nextInt(lengthMax + 1)];
        random.nextBytes(bytes);
        return bytes;
    }

    /**
     * A short key out of few bytes, among them the ones that stores get wrong: keys of different
     * tests meet often, and so do a key and its prefixes and successors.
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
