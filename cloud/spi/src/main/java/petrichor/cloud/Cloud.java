package petrichor.cloud;

import java.time.Instant;
import java.util.List;

/**
 * A place that leases machines.
 *
 * <p>Safe for any thread. Calls wait for the cloud for at most some seconds and then return an
 * unknown outcome; expected failures of a cloud are results, not exceptions. After {@link #close}
 * the machines keep running: this object does not own them.
 */
public interface Cloud extends AutoCloseable {
    /** For people. */
    String name();

    CloudLimits limits();

    Billing billing();

    /** All types on offer, in no order. Names are unique. */
    List<InstanceType> types();

    LaunchResult launch(LaunchRequest request);

    /** Ends a machine, also one that is still {@link InstanceState#PENDING}. May be repeated. */
    TerminateResult terminate(String instance);

    /** The machines with this owner in their tag; those that have ended for some time yet. */
    Listing list(String owner);

    Description describe(String instance);

    /**
     * Spot prices of a type in that time, the earliest first; the first may have started before.
     * Empty if the cloud has no spot machines.
     */
    default List<PricePoint> spotPrices(String type, Instant from, Instant to) {
        return List.of();
    }

    /**
     * The notices that count now, each until its machine has ended. To be asked for again and
     * again.
     */
    default List<InterruptionNotice> interruptions() {
        return List.of();
    }

    @Override
    void close();
}
