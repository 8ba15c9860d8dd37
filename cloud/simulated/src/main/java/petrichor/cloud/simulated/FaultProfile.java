package petrichor.cloud.simulated;

import java.time.Duration;

/**
 * Fault injection for a simulated cloud: probabilities per call.
 *
 * @param refuses a launch or an end is refused, throttled, or there is no machine
 * @param forgets the outcome of a launch or an end is unknown: half of them happen, some of them
 *     late
 * @param silent no answer to a question
 * @param stale a question is answered as things were before, at most {@link
 *     petrichor.cloud.CloudLimits#answersStale} ago
 * @param half rows are left out of a list, and the cloud does not say so
 * @param lies a row says a state that is not so, or cannot be read
 * @param interruptionsPerHour how often a spot machine is reclaimed regardless of its price
 * @param callTakes at most, in time of the clock
 */
public record FaultProfile(
        double refuses,
        double forgets,
        double silent,
        double stale,
        double half,
        double lies,
        double interruptionsPerHour,
        Duration callTakes) {
    /** Everything works, and at once. */
    public static final FaultProfile NONE = new FaultProfile(0, 0, 0, 0, 0, 0, 0, Duration.ZERO);

    /** Worse than any cloud on any day. */
    public static final FaultProfile HEAVY =
            new FaultProfile(0.15, 0.15, 0.2, 0.4, 0.3, 0.05, 0.3, Duration.ofSeconds(3));

    public FaultProfile {
        for (double each : new double[] {refuses, forgets, silent, stale, half, lies}) {
            if (!(each >= 0 && each < 1)) {
                throw new IllegalArgumentException("not a probability: " + each);
            }
        }
        if (!(interruptionsPerHour >= 0) || callTakes.isNegative()) {
            throw new IllegalArgumentException("a rate must not be negative");
        }
    }
}
