package petrichor.cloud.leasing;

import java.time.Duration;

/**
 * Intervals and timeouts of leasing.
 *
 * @param pollInterval interval of the steps
 * @param listEvery interval of the listings of all machines
 * @param waitMax longest wait of a stage for its machines
 * @param drainMax longest time to move data off a machine
 * @param silentMax time without a heartbeat after which a worker's machine is considered lost
 * @param bootTimesMax longest wait for a machine's worker, as a multiple of the type's typical boot
 *     time
 * @param capacityPause wait before a sold-out type is requested again
 * @param endTries number of terminations that may fail before the next hour is billed: terminations
 *     start this many attempts earlier
 */
public record LeasingLimits(
        Duration pollInterval,
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
        if (!pollInterval.isPositive()
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
                pollInterval,
                listEvery,
                most,
                drainMax,
                silentMax,
                bootTimesMax,
                capacityPause,
                endTries);
    }
}
