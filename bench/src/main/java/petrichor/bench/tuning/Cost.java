package petrichor.bench.tuning;

import java.io.Serializable;
import java.util.concurrent.locks.LockSupport;

/**
 * The cost of one record at a task: time spent waiting for an external service, as for OCR on
 * another machine, and rounds of local computation.
 *
 * @param rounds see {@link #ofProcessor}
 */
record Cost(long waitNanos, long rounds) implements Serializable {
    private static final long CALIBRATION_ROUNDS = 20_000_000;
    private static final int CALIBRATIONS = 3;

    static Cost waiting(double millis) {
        return new Cost((long) (millis * 1e6), 0);
    }

    /** Computes for this long on an otherwise idle processor. */
    static Cost ofProcessor(double millis, double roundsPerMilli) {
        return new Cost(0, (long) (millis * roundsPerMilli));
    }

    /** Number of rounds that this machine computes in a millisecond. */
    static double roundsPerMilli() {
        double most = 0;
        for (int i = 0; i < CALIBRATIONS; i++) {
            long began = System.nanoTime();
            compute(CALIBRATION_ROUNDS);
            most = Math.max(most, CALIBRATION_ROUNDS / ((System.nanoTime() - began) / 1e6));
        }
        return most;
    }

    /** The result must be used, or the JIT compiler eliminates the work. */
    long pay() {
        long result = compute(rounds);
        long until = System.nanoTime() + waitNanos;
        for (long left = waitNanos; left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        return result;
    }

    private static long compute(long rounds) {
        long hash = rounds;
        for (long i = 0; i < rounds; i++) {
            hash = (hash ^ i) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 32;
        }
        return hash;
    }
}
