package petrichor.bench.tuning;

import java.io.Serializable;
import java.util.concurrent.locks.LockSupport;

/**
 * What one record costs a task: time in which it waits for somebody else, as for an OCR service on
 * another machine, and rounds of computing here.
 *
 * @param rounds see {@link #ofProcessor}
 */
record Cost(long waitNanos, long rounds) implements Serializable {
    private static final long CALIBRATION_ROUNDS = 20_000_000;
    private static final int CALIBRATIONS = 3;

    static Cost waiting(double millis) {
        return new Cost((long) (millis * 1e6), 0);
    }

    /** Computes for so long on a processor that nobody else uses. */
    static Cost ofProcessor(double millis, double roundsPerMilli) {
        return new Cost(0, (long) (millis * roundsPerMilli));
    }

    /** How many rounds this machine computes in a millisecond. */
    static double roundsPerMilli() {
        double most = 0;
        for (int i = 0; i < CALIBRATIONS; i++) {
            long began = System.nanoTime();
            compute(CALIBRATION_ROUNDS);
            most = Math.max(most, CALIBRATION_ROUNDS / ((System.nanoTime() - began) / 1e6));
        }
        return most;
    }

    /** The result must be used, or the compiler leaves the work out. */
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
