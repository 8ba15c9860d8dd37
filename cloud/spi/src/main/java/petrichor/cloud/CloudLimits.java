package petrichor.cloud;

import java.time.Duration;

/**
 * What may be relied on, and all that may.
 *
 * @param answersStale how old an answer may be: what happened before is in it, but for rows that
 *     were left out
 * @param launchSettles after this time a launch whose outcome nobody knew has happened, or never
 *     will
 * @param terminationTakes from an accepted end until nothing is billed any more
 * @param noticeMin the least time between a notice of interruption and the end
 * @param instancesMax how many machines this account may have at once
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
