package petrichor.apps.instances;

import java.time.Duration;
import petrichor.base.PetrichorException;

/**
 * @param start from the start of the process until its check passes
 * @param drain for requests in progress when the instance is stopped
 * @param stopRequest for the answer to {@link StopRequest}
 * @param grace from SIGTERM to SIGKILL
 */
public record InstanceTimeouts(
        Duration start, Duration drain, Duration stopRequest, Duration grace) {
    public static final InstanceTimeouts DEFAULT =
            new InstanceTimeouts(
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(10));

    public InstanceTimeouts {
        if (start.isNegative()
                || start.isZero()
                || drain.isNegative()
                || stopRequest.isNegative()
                || grace.isNegative()) {
            throw PetrichorException.invalid("a timeout of an instance is negative");
        }
    }
}
