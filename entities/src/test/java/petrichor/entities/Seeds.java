package petrichor.entities;

/** The seed of a test's randomness: another one each run, or the one given by -Dseed. */
final class Seeds {
    private Seeds() {}

    static long seed() {
        return Long.getLong("seed", System.nanoTime());
    }
}
