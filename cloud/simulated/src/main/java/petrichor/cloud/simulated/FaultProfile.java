package petrichor.cloud.simulated;

import java.time.Duration;

/**
 * Fault injection for a simulated cloud: probabilities per call.
 *
 * @param refuses a launch or termination is refused or throttled, or no machine is available
 * @param forgets the outcome of a launch or termination is unknown; half of these calls take
 *     effect, some of them late
 * @param silent a query is not answered
 * @param stale a query returns an old state, at most as old as {@link
 *     petrichor.cloud.CloudLimits#answersStale}
 * @param half rows are omitted from a listing without notice
 * @param lies a row has a wrong state or is unreadable
 * @param interruptionsPerHour rate at which spot machines are reclaimed regardless of their price
 * @param callTakes maximum duration of a call on the simulated clock
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
    /** No faults and no delays. */
    public static final FaultProfile NONE = new FaultProfile(0, 0, 0, 0, 0, 0, 0, Duration.ZERO);

    /** More faults than in any real cloud. */
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
