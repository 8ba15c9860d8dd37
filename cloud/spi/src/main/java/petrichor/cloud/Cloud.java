package petrichor.cloud;

import java.time.Instant;
import java.util.List;

/**
 * A cloud that leases machines.
 *
 * <p>Thread-safe. Calls wait for the cloud for at most some seconds and then return an unknown
 * outcome; expected failures of a cloud are results, not exceptions. After {@link #close} the
 * machines keep running: this object does not own them.
 */
public interface Cloud extends AutoCloseable {
    /** Display name. */
    String name();

    CloudLimits limits();

    Billing billing();

    /** All offered types, in no particular order. Names are unique. */
    List<InstanceType> types();

    LaunchResult launch(LaunchRequest request);

    /** Terminates a machine, even if it is still {@link InstanceState#PENDING}. Idempotent. */
    TerminateResult terminate(String instance);

    /** The machines whose tag has this owner, including recently terminated ones. */
    Listing list(String owner);

    Description describe(String instance);

    /**
     * Spot prices of a type in this period, in chronological order; the first may be older. Empty
     * if the cloud has no spot machines.
     */
    default List<PricePoint> spotPrices(String type, Instant from, Instant to) {
        return List.of();
    }

    /**
     * The current interruption notices; each is reported until its machine has terminated. Poll
     * this method.
     */
    default List<InterruptionNotice> interruptions() {
        return List.of();
    }

    @Override
    void close();
}
