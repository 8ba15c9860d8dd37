package petrichor.cloud;

import java.time.Duration;

/**
 * The guarantees of a cloud.
 *
 * @param answersStale maximum age of an answer: it reflects everything before, except for omitted
 *     rows
 * @param launchSettles after this time a launch of unknown outcome has happened, or never will
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
