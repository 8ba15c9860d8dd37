package petrichor.testing.simulation;

import java.util.stream.LongStream;

/** Which seeds a test runs: one when {@code -Dseed=} names it, else a fixed series. */
final class Seeds {
    private Seeds() {}

    static LongStream first(int count) {
        return between(0, count);
    }

    static LongStream between(int from, int to) {
        Long one = Long.getLong("seed");
        return one == null ? LongStream.range(from, to) : LongStream.of(one);
    }
}
