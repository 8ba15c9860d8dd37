package petrichor.testing.simulation;

import java.util.stream.LongStream;

/** The seeds of a test run: the one in {@code -Dseed=}, otherwise a fixed series. */
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
