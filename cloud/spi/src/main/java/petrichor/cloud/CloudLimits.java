package petrichor.cloud;

import java.time.Duration;

/**
 * The guarantees of a cloud.
 *
 * @param answersStale maximum age of an answer: it reflects everything before, except for omitted
 *     rows
 * @param launchSettles time after which a launch of unknown outcome either has happened or never
 *     will
 * @param terminationTakes time from an accepted termination until billing stops
 * @param noticeMin minimum time between an interruption notice and the termination
 * @param instancesMax maximum number of concurrent machines of this account
 */
public record CloudLimits(
        Duration answersStale,
        Duration launchSettles,
        Duration terminationTakes,
        Duration noticeMin,
        int instancesMax) {
    public CloudLimits {
        if (answersStale.isNegative()
                || launchSettles.isNegative()
                || terminationTakes.isNegative()
                || noticeMin.isNegative()
                || instancesMax < 1) {
            throw new IllegalArgumentException("limits must not be negative");
        }
    }
}
