package petrichor.testing.simulation;

import java.util.stream.LongStream;

/** Which seeds a test runs: one when {@code -Dseed=} names it, else a fixed series. */
final class Seeds {
    private Seeds() {}

    static LongStream first(int count) {
        Long one = Long.getLong("seed");
        return one == null ? LongStream.range(0, count) : LongStream.of(one);
    }
}
