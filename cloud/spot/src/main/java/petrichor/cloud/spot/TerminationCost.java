package petrichor.cloud.spot;

import java.time.Duration;

/**
 * The delay of a job whose machines are reclaimed while it maps (equation 7.4): the remaining
 * machines repeat their share of the work after the loss is detected.
 *
 * @param noticed time until detection
 * @param mapping how long all mappers take together on all machines
 * @param machines all of them
 */
public record TerminationCost(Duration noticed, Duration mapping, int machines) {
    public TerminationCost {
        if (machines < 1 || noticed.isNegative() || mapping.isNegative()) {
            throw new IllegalArgumentException("invalid job: " + mapping + " on " + machines);
        }
    }

    /**
     * The delay by the loss of so many machines.
     *
     * @throws IllegalArgumentException if none is left
     */
    public Duration of(int lost) {
        if (lost < 0 || lost >= machines) {
            throw new IllegalArgumentException(lost + " of " + machines + " machines");
        }
        double share = (double) lost / machines / (machines - lost);
        return noticed.plus(Duration.ofNanos((long) (mapping.toNanos() * share)));
    }
}
