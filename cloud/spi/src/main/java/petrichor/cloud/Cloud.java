package petrichor.cloud;

import java.time.Instant;
import java.util.List;

/**
 * A place that leases machines.
 *
 * <p>Safe for any thread. Calls wait for the cloud, at most some seconds, and then say that they do
 * not know; they throw nothing for what a cloud may do. After {@link #close} the machines go on:
 * the cloud is not the owner of what was leased.
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
     * What spot machines of a type cost in that time, the earliest first; the first may have begun
     * before. Empty where there is no such market.
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
