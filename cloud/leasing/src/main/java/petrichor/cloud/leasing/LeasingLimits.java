package petrichor.cloud.leasing;

import java.time.Duration;

/**
 * How long leasing waits for what.
 *
 * @param lookEvery between two steps
 * @param listEvery between two lists of all machines
 * @param waitMax a stage for its machines
 * @param drainMax a machine for what lies on it to be elsewhere
 * @param silentMax a worker without a sign of life, until its machine counts as lost
 * @param bootTimesMax a machine for its worker, as a multiple of what its type usually takes to
 *     boot
 * @param capacityPause before a type is asked for again of which the cloud had none
 * @param endTries ends that may fail before the next hour is billed: it is tried so much earlier
 */
public record LeasingLimits(
        Duration lookEvery,
        Duration listEvery,
        Duration waitMax,
        Duration drainMax,
        Duration silentMax,
        int bootTimesMax,
        Duration capacityPause,
        int endTries) {
    public static final LeasingLimits DEFAULT =
            new LeasingLimits(
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(30),
                    Duration.ofHours(1),
                    Duration.ofMinutes(1),
                    Duration.ofSeconds(45),
                    5,
                    Duration.ofSeconds(30),
                    4);

    public LeasingLimits {
        if (!lookEvery.isPositive()
                || !listEvery.isPositive()
                || !waitMax.isPositive()
                || drainMax.isNegative()
                || !silentMax.isPositive()
                || bootTimesMax < 1
                || !capacityPause.isPositive()
                || endTries < 1) {
            throw new IllegalArgumentException("limits must not be negative");
        }
    }

    LeasingLimits withWaitMax(Duration most) {
        return new LeasingLimits(
                lookEvery,
                listEvery,
                most,
                drainMax,
                silentMax,
                bootTimesMax,
                capacityPause,
                endTries);
    }
}
