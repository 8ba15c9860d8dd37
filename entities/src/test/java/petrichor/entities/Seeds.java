package petrichor.entities;

/** The random seed of a test: a new one each run, or the one given by -Dseed. */
final class Seeds {
    private Seeds() {}

    static long seed() {
        return Long.getLong("seed", System.nanoTime());
    }
}
