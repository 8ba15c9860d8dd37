package petrichor.cloud.leasing;

import java.time.Duration;
import java.util.Optional;
import petrichor.cloud.InstanceType;
import petrichor.cloud.Money;

/** Decides whether to lease a spot machine if one would be acceptable. */
@FunctionalInterface
public interface SpotChoice {
    SpotChoice NEVER = (type, work) -> Optional.empty();

    /**
     * @param work expected time of use, if known
     * @return the maximum price per hour; empty for an on-demand machine
     */
    Optional<Money> bid(InstanceType type, Optional<Duration> work);
}
