package petrichor.cloud.spot;

import java.time.Duration;

/**
 * The delay of a job whose machines are reclaimed during its map phase (equation 7.4): after the
 * loss is detected, the remaining machines repeat the lost share of the work.
 *
 * @param noticed time until detection
 * @param mapping total duration of the map phase on all machines
 * @param machines number of machines
 */
public record TerminationCost(Duration noticed, Duration mapping, int machines) {
    public TerminationCost {
        if (machines < 1 || noticed.isNegative() || mapping.isNegative()) {
            throw new IllegalArgumentException("invalid job: " + mapping + " on " + machines);
        }
    }

    /**
     * The delay caused by losing this many machines.
     *
     * @throws IllegalArgumentException if no machine remains
     */
    public Duration of(int lost) {
        if (lost < 0 || lost >= machines) {
            throw new IllegalArgumentException(lost + " of " + machines + " machines");
        }
        double share = (double) lost / machines / (machines - lost);
        return noticed.plus(Duration.ofNanos((long) (mapping.toNanos() * share)));
    }
}
