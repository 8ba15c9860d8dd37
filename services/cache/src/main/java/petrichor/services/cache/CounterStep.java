package petrichor.services.cache;

import java.util.Optional;

/**
 * A step of a counter, an unsigned number of 64 bits.
 *
 * @param delta unsigned
 * @param subtract down to 0; an addition wraps at 2^64
 * @param initial of a missing counter, before the step
 */
public record CounterStep(long delta, boolean subtract, Optional<Initial> initial) {
    /**
     * @param value unsigned
     */
    public record Initial(long value, int flags) {}

    long applied(long value) {
        if (!subtract) {
            return value + delta;
        }
        return Long.compareUnsigned(value, delta) <= 0 ? 0 : value - delta;
    }
}
