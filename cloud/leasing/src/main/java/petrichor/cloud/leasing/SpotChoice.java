package petrichor.cloud.leasing;

import java.time.Duration;
import java.util.Optional;
import petrichor.cloud.InstanceType;
import petrichor.cloud.Money;

/** Whether to lease a spot machine where one would do. */
@FunctionalInterface
public interface SpotChoice {
    SpotChoice NEVER = (type, work) -> Optional.empty();

    /**
     * @param work how long the machine will be needed, if anybody knows
     * @return the most to pay per hour; empty for a machine on demand
     */
    Optional<Money> bid(InstanceType type, Optional<Duration> work);
}
